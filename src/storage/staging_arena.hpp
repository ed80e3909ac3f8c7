#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "memory/host_allocator.hpp"
#include "memory/host_pin.hpp"

namespace margay::storage {

//! Hands out pieces of pinned blocks of a HostAllocator, all freed together. Blocks start small and
//! grow, so that a tiny table takes little and a large one few blocks. Not thread-safe.
class StagingArena {
 public:
  //! `total` counts the bytes of all blocks and outlives the arena.
  StagingArena(std::shared_ptr<memory::HostAllocator> allocator, std::atomic<size_t>& total);
  ~StagingArena();
  StagingArena(const StagingArena&) = delete;
  StagingArena& operator=(const StagingArena&) = delete;

  //! Aligned to 16 bytes; undefined content. Throws memory::OutOfMemory.
  std::byte* Allocate(size_t bytes);

 private:
  const std::shared_ptr<memory::HostAllocator> allocator_;
  std::atomic<size_t>& total_;
  std::vector<memory::HostPin> blocks_;
  size_t bytes_ = 0;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace margay::storage
