#pragma once

#include <cstdint>
#include <functional>

#include "device/device.hpp"
#include "memory/extent_pool.hpp"

namespace margay::kernels {

//! Fills a hash table whose slots lie beyond caches: entries are split by the upper bits of their
//! slots first, and those of a partition are put into its slots while these stay in a near cache.
//! One work-group has a partition from its beginning to its end. A slot has a chain of entries, so
//! that a partition has room for any number of them: keys that are all equal are a long chain of
//! one partition, which is filled by one work-group in the order of memory.
class SlotChains {
 public:
  //! A table while it is filled. Before: all heads are 0, and `nexts` has the slot plus one of each
  //! entry, or 0 for none. After: a head is the first entry of its slot plus one, or 0; a next is
  //! the following one of the same slot, likewise.
  struct Table {
    const device::Buffer& heads;  //!< uints
    const device::Buffer& nexts;  //!< uints
    uint64_t slots = 1;           //!< a power of two, at most 2^31
    uint32_t entries = 1;
  };

  //! Both outlive the object. Work-groups have `lanes` work-items; one alone needs no atomic
  //! operations. `between_launches` may throw to give up.
  SlotChains(device::Device& device, memory::ExtentPool& pool, uint32_t lanes,
             std::function<void()> between_launches)
      : device_(device),
        pool_(pool),
        lanes_(lanes),
        between_launches_(std::move(between_launches)) {}

  //! Returns the milliseconds of all kernels. Throws device::DeviceError and memory::OutOfMemory.
  double Fill(const Table& table) const;

 private:
  device::Device& device_;
  memory::ExtentPool& pool_;
  const uint32_t lanes_;
  const std::function<void()> between_launches_;
};

}  // namespace margay::kernels
