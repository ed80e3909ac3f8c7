#include "execute/region_rows.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "execute/pinned_block.hpp"
#include "kernels/embedded_sources.hpp"

namespace margay::execute {

namespace {

//! Work-items of a work-group that copies the rows of a unit.
constexpr size_t kGatherGroup = 64;

//! Columns that one launch of row_gather copies.
constexpr size_t kColumnsPerLaunch = 8;

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

void RegionGather::Launch(const device::Kernel& kernel, size_t columns) const {
  queue_.Launch(kernel, regions_.counts.size() * columns * work_group_, work_group_);
}

void RegionGather::CopyValues(const std::vector<Column>& columns) const {
  if (columns.empty())
    return;
  device::Kernel kernel = MakeKernel("row_gather");
  uint32_t argument = 0;
  const auto set = [&](const auto& content) { kernel.Argument(argument++, content); };
  set(static_cast<uint32_t>(regions_.counts.size()));
  set(regions_.unit_rows);
  set(regions_.count_buffer);
  set(firsts_);
  const uint32_t first_column = argument;
  for (size_t first = 0; first < columns.size(); first += kColumnsPerLaunch) {
    argument = first_column;
    for (size_t i = 0; i < kColumnsPerLaunch; i++) {
      // Arguments beyond the last column are set, but not used.
      const Column& column = columns[std::min(first + i, columns.size() - 1)];
      set(column.source);
      set(column.destination);
      set(column.begin);
      set(static_cast<uint32_t>(column.row_bytes));
    }
    Launch(kernel, std::min(kColumnsPerLaunch, columns.size() - first));
  }
}

void RegionGather::CopyValidity(const device::Buffer& source, const device::Buffer& bits) const {
  device::Kernel kernel = MakeKernel("validity_gather");
  kernel.Argument(0, source)
      .Argument(1, regions_.unit_rows)
      .Argument(2, regions_.count_buffer)
      .Argument(3, firsts_)
      .Argument(4, bits);
  Launch(kernel, 1);
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
  std::vector<RegionGather::Column> columns;
  columns.reserve(columns_.size());
  for (const Column& column : columns_)
    columns.push_back({*column.buffer, column.row_bytes, gathered, column.begin});
  gather.CopyValues(columns);
  queue.Read(gathered, 0, destination, bytes_);
}

void RegionRows::CopyFromHostMemory(device::Queue& queue, std::byte* destination) const {
  // The host waits once for all of them.
  std::vector<std::byte*> mapped;
  for (const Column& column : columns_) {
    const size_t bytes = regions_.counts.size() * regions_.unit_rows * column.row_bytes;
    mapped.push_back(static_cast<std::byte*>(queue.MapAsync(*column.buffer, 0, bytes, false)));
  }
  queue.Finish();
  for (size_t i = 0; i < columns_.size(); i++) {
    const size_t row_bytes = columns_[i].row_bytes;
    std::byte* next = destination + columns_[i].begin;
    for (size_t unit = 0; unit < regions_.counts.size(); unit++) {
      const size_t filled = regions_.counts[unit] * row_bytes;
      std::memcpy(next, mapped[i] + unit * regions_.unit_rows * row_bytes, filled);
      next += filled;
    }
    queue.Unmap(*columns_[i].buffer, mapped[i]);
  }
}

}  // namespace margay::execute
