#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "memory/extent_pool.hpp"

namespace margay::kernels {

//! A stable sort of rows by unsigned 64-bit words on a device: least significant digits first, 8
//! bits at a time. Digits that are the same in all rows are left out.
class RadixSort {
 public:
  //! Rows are numbered in 32 bits.
  static constexpr uint64_t kMostRows = UINT32_MAX;

  //! Both outlive the object. `between_passes` may throw to give up.
  RadixSort(
      device::Device& device, memory::ExtentPool& pool,
      std::function<void()> between_passes = [] {})
      : device_(device), pool_(pool), between_passes_(std::move(between_passes)) {}

  //! The numbers of the rows in the order of their words: `words[0]` has the first word of each
  //! row, `words[1]` the second, and so on. Throws device::DeviceError and memory::OutOfMemory.
  std::vector<uint32_t> Sort(std::span<const std::vector<uint64_t>> words) const;

 private:
  device::Device& device_;
  memory::ExtentPool& pool_;
  const std::function<void()> between_passes_;
};

}  // namespace margay::kernels
