#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/host_allocator.hpp"

namespace margay::memory {

class HeapBlock;

//! Plain aligned memory of the process. Blocks are only dropped where a test asks for it.
//! Thread-safe; blocks may outlive the allocator.
class HeapAllocator : public HostAllocator {
 public:
  //! `limit`: bytes of living blocks beyond which Allocate() throws.
  explicit HeapAllocator(uint64_t limit = std::numeric_limits<uint64_t>::max());
  ~HeapAllocator() override;

  std::shared_ptr<HostBlock> Allocate(size_t bytes) override;

  //! Bytes of the blocks that are alive.
  uint64_t Used() const;

  //! Drops the content of every block that is not pinned, as DuckDB's buffer manager does under
  //! pressure. For tests. Returns the number of blocks dropped.
  size_t DropUnpinned();

 private:
  friend class HeapBlock;
  struct Account;

  std::shared_ptr<Account> account_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<HeapBlock>> blocks_;
};

}  // namespace margay::memory
