#pragma once

#include <cstddef>
#include <memory>

#include "memory/host_block.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::memory {

//! Where Margay's host memory for data comes from, so that its user's limit counts it. Thread-safe.
class HostAllocator {
 public:
  virtual ~HostAllocator() = default;

  //! A block of `bytes` (at least 1) with undefined content, not pinned: the caller pins it at once
  //! and treats a failing first TryPin() as lack of memory. Throws OutOfMemory. May be slow (the
  //! owner of the memory may write other data to disk first), so callers hold no locks.
  virtual std::shared_ptr<HostBlock> Allocate(size_t bytes) = 0;
};

}  // namespace margay::memory
