#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "device/device.hpp"
#include "memory/extent_pool.hpp"

namespace margay::kernels {

//! Splits entries by the upper bits of their slots on a device: each work-item counts those of its
//! share for each partition, the host adds the counts up, and each work-item puts its entries where
//! they belong. Within a partition entries keep their order.
class Split {
 public:
  //! What a work-item counts in memory of its own. As many streams of pairs are written at a time.
  static constexpr uint32_t kMostPartitions = 1024;

  //! The pairs of all partitions, one partition after the other.
  struct Pairs {
    memory::ScratchExtent words;   //!< ulongs: the entry in the upper half, its slot in the lower
    std::vector<uint32_t> begins;  //!< per partition its first pair, then the number of all
    double kernel_milliseconds = 0;
  };

  //! Both outlive the object. `between_launches` may throw to give up.
  Split(device::Device& device, memory::ExtentPool& pool, std::function<void()> between_launches)
      : device_(device), pool_(pool), between_launches_(std::move(between_launches)) {}

  //! `slots` has the slot plus one of each of `entries` entries (at least 1), or 0 for none, in
  //! uints. The partition of a slot is `slot >> shift`, below `partitions` (at most
  //! kMostPartitions). Throws device::DeviceError and memory::OutOfMemory.
  Pairs Run(const device::Buffer& slots, uint32_t entries, uint32_t shift,
            uint32_t partitions) const;

 private:
  device::Device& device_;
  memory::ExtentPool& pool_;
  const std::function<void()> between_launches_;
};

}  // namespace margay::kernels
