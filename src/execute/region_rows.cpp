#include "execute/region_rows.hpp"

#include <cstring>
#include <numeric>
#include <string>

#include "execute/pinned_block.hpp"
#include "kernels/embedded_sources.hpp"

namespace margay::execute {

namespace {

//! Work-items of a work-group that copies the rows of a unit.
constexpr size_t kGatherGroup = 64;

}  // namespace

size_t Regions::Rows() const {
  return std::accumulate(counts.begin(), counts.end(), size_t{0});
}

RegionGather::RegionGather(const Regions& regions, uint64_t first, size_t work_group,
                           memory::ExtentPool& pool, device::Queue& queue)
    : regions_(regions),
      work_group_(work_group),
      device_(*pool.Device()),
      queue_(queue),
      reservation_(pool.Reserve(regions.counts.size() * sizeof(uint64_t))),
      firsts_(device_.CreateBuffer(regions.counts.size() * sizeof(uint64_t),
                                   device::Access::ReadOnly)) {
  std::vector<uint64_t> firsts(regions.counts.size());
  std::exclusive_scan(regions.counts.begin(), regions.counts.end(), firsts.begin(), first);
  queue_.Write(firsts_, 0, firsts.data(), firsts.size() * sizeof(uint64_t));
}

device::Kernel RegionGather::MakeKernel(const std::string& name) const {
  return device_.Programs()
      .Get(std::string(kernels::EmbeddedSource(name + ".cl")))
      ->CreateKernel(name);
}

void RegionGather::Launch(const device::Kernel& kernel) const {
  queue_.Launch(kernel, regions_.counts.size() * work_group_, work_group_);
}

void RegionGather::CopyValues(const device::Buffer& source, size_t row_bytes,
                              const device::Buffer& destination, uint64_t begin) const {
  device::Kernel kernel = MakeKernel("row_gather");
  kernel.Argument(0, source)
      .Argument(1, regions_.unit_rows)
      .Argument(2, static_cast<uint32_t>(row_bytes))
      .Argument(3, regions_.count_buffer)
      .Argument(4, firsts_)
      .Argument(5, destination)
      .Argument(6, begin);
  Launch(kernel);
}

void RegionGather::CopyValidity(const device::Buffer& source, const device::Buffer& bits) const {
  device::Kernel kernel = MakeKernel("validity_gather");
  kernel.Argument(0, source)
      .Argument(1, regions_.unit_rows)
      .Argument(2, regions_.count_buffer)
      .Argument(3, firsts_)
      .Argument(4, bits);
  Launch(kernel);
}

size_t RegionRows::Add(const device::Buffer& buffer, size_t row_bytes) {
  const size_t begin = bytes_;
  columns_.push_back({&buffer, row_bytes, begin});
  bytes_ += AlignedBytes(regions_.Rows() * row_bytes);
  return begin;
}

void RegionRows::CopyFromDeviceMemory(device::Queue& queue, std::byte* destination) const {
  const memory::ScratchReservation reservation = pool_.Reserve(bytes_);
  const device::Buffer gathered = device_.CreateBuffer(bytes_, device::Access::WriteOnly);
  const RegionGather gather(regions_, 0, kGatherGroup, pool_, queue);
  for (const Column& column : columns_)
    gather.CopyValues(*column.buffer, column.row_bytes, gathered, column.begin);
  queue.Read(gathered, 0, destination, bytes_);
}

void RegionRows::CopyFromHostMemory(device::Queue& queue, std::byte* destination) const {
  for (const Column& column : columns_) {
    const size_t region_bytes = regions_.unit_rows * column.row_bytes;
    auto* mapped = static_cast<std::byte*>(
        queue.Map(*column.buffer, 0, regions_.counts.size() * region_bytes, false));
    std::byte* next = destination + column.begin;
    for (size_t unit = 0; unit < regions_.counts.size(); unit++) {
      const size_t filled = regions_.counts[unit] * column.row_bytes;
      std::memcpy(next, mapped + unit * region_bytes, filled);
      next += filled;
    }
    queue.Unmap(*column.buffer, mapped);
  }
}

}  // namespace margay::execute
