#pragma once

#include <algorithm>
#include <memory>

#include "memory/host_allocator.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::execute {

//! Of a column in a block of rows, so that the next one begins at a multiple of 64 bytes.
inline size_t AlignedBytes(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

//! Host memory of a result's rows, pinned as long as it is held. Throws memory::OutOfMemory.
class PinnedBlock {
 public:
  PinnedBlock(memory::HostAllocator& allocator, size_t bytes)
      : block_(allocator.Allocate(std::max<size_t>(bytes, 1))), address_(block_->TryPin()) {
    if (address_ == nullptr)
      throw memory::OutOfMemory("DuckDB's memory_limit", bytes, 0, 0);
  }
  ~PinnedBlock() { block_->Unpin(); }
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  std::byte* Address() const { return address_; }

 private:
  std::shared_ptr<memory::HostBlock> block_;
  std::byte* address_;
};

}  // namespace margay::execute
