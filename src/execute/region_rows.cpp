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

size_t RegionRows::Add(const device::Buffer& buffer, size_t row_bytes) {
  const size_t begin = bytes_;
  columns_.push_back({&buffer, row_bytes, begin});
  bytes_ += AlignedBytes(regions_.Rows() * row_bytes);
  return begin;
}

void RegionRows::CopyFromDeviceMemory(device::Queue& queue, std::byte* destination) const {
  const size_t units = regions_.counts.size();
  std::vector<uint64_t> firsts(units);
  std::exclusive_scan(regions_.counts.begin(), regions_.counts.end(), firsts.begin(), uint64_t{0});
  const size_t first_bytes = units * sizeof(uint64_t);
  const memory::ScratchReservation reservation = pool_.Reserve(first_bytes + bytes_);
  const device::Buffer first_buffer = device_.CreateBuffer(first_bytes, device::Access::ReadOnly);
  const device::Buffer gathered = device_.CreateBuffer(bytes_, device::Access::WriteOnly);
  queue.Write(first_buffer, 0, firsts.data(), first_bytes);
  const auto program =
      device_.Programs().Get(std::string(kernels::EmbeddedSource("row_gather.cl")));
  for (const Column& column : columns_) {
    device::Kernel kernel = program->CreateKernel("row_gather");
    kernel.Argument(0, *column.buffer)
        .Argument(1, regions_.unit_rows)
        .Argument(2, static_cast<uint32_t>(column.row_bytes))
        .Argument(3, regions_.count_buffer)
        .Argument(4, first_buffer)
        .Argument(5, gathered)
        .Argument(6, static_cast<uint64_t>(column.begin));
    queue.Launch(kernel, units * kGatherGroup, kGatherGroup);
  }
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
