#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "memory/extent_pool.hpp"

namespace margay::execute {

//! The rows that units of work left in device buffers, of which each has a region of its own there.
struct Regions {
  const device::Buffer& count_buffer;  //!< rows of each unit, as uints
  std::vector<uint32_t> counts;        //!< the same
  uint32_t unit_rows = 0;              //!< that a region has room for

  size_t Rows() const;
};

//! Copies rows out of their regions, together, within the memory of the device. The host waits for
//! nothing.
class RegionGather {
 public:
  //! A column of rows of `row_bytes` bytes. Row 0 of `destination` is at byte `begin`.
  struct Column {
    const device::Buffer& source;
    size_t row_bytes;
    const device::Buffer& destination;
    uint64_t begin;
  };

  //! The first one becomes row `first` of what columns are copied to. The rows of a unit are copied
  //! by `work_group` work-items. All outlive the object. Throws memory::OutOfMemory, and
  //! device::DeviceError, as all calls.
  RegionGather(const Regions& regions, uint64_t first, size_t work_group, memory::ExtentPool& pool,
               device::Queue& queue);

  //! Copies columns, eight with each launch.
  void CopyValues(const std::vector<Column>& columns) const;
  //! Copies a column of bytes, 0 for NULL, to bits, all of which are 0.
  void CopyValidity(const device::Buffer& source, const device::Buffer& bits) const;

 private:
  //! Kernel `name` of the source that is called like it.
  device::Kernel MakeKernel(const std::string& name) const;
  //! Starts a work-group per unit and column.
  void Launch(const device::Kernel& kernel, size_t columns) const;

  const Regions& regions_;
  const size_t work_group_;
  device::Device& device_;
  device::Queue& queue_;
  const memory::ScratchReservation reservation_;
  const device::Buffer firsts_;  //!< where the rows of each unit go
};

//! Copies rows out of their regions, together, to the host: column after column, each at a multiple
//! of 64 bytes.
class RegionRows {
 public:
  //! All outlive the object.
  RegionRows(const Regions& regions, device::Device& device, memory::ExtentPool& pool)
      : regions_(regions), device_(device), pool_(pool) {}

  //! Adds a column of rows of `row_bytes` bytes, and returns where it will begin. The buffer
  //! outlives the object.
  size_t Add(const device::Buffer& buffer, size_t row_bytes);

  //! Of all columns.
  size_t Bytes() const { return bytes_; }

  //! Copies all columns to `destination`. From memory of its own a device copies them together
  //! first, so that no more is transferred than there is. Throws device::DeviceError and
  //! memory::OutOfMemory.
  void CopyFromDeviceMemory(device::Queue& queue, std::byte* destination) const;
  void CopyFromHostMemory(device::Queue& queue, std::byte* destination) const;

 private:
  struct Column {
    const device::Buffer* buffer;
    size_t row_bytes;
    size_t begin;
  };

  const Regions& regions_;
  device::Device& device_;
  memory::ExtentPool& pool_;
  std::vector<Column> columns_;
  size_t bytes_ = 0;
};

}  // namespace margay::execute
