#include "device/bandwidth.hpp"

#include <algorithm>
#include <cstdint>

namespace margay::device {

namespace {

constexpr int kRuns = 7;
constexpr uint64_t kCpuBytes = uint64_t{512} << 20;
constexpr uint64_t kGpuBytes = uint64_t{4} << 30;

//! Four independent sums of 32 bytes (measured on 2 cores, PoCL / Intel's runtime: 58 / 59 GB/s;
//! sums of 64 bytes 34-54 / 34-52, one of 8 bytes 57 / 50) hide the latency of loads. The sums are
//! written, so that no compiler drops the loads. Each work-item of scan_loop reads a stretch of its
//! own (CPU); the work-items of scan_lanes read side by side (GPU). Counts are in vectors,
//! multiples of four per work-item.
constexpr const char* kSource = R"(
__kernel void scan_loop(__global const ulong4* data, ulong vectors_per_item, __global ulong* sums) {
  __global const ulong4* mine = data + get_global_id(0) * vectors_per_item;
  ulong4 a = 0, b = 0, c = 0, d = 0;
  const ulong quarter = vectors_per_item / 4;
  for (ulong i = 0; i < quarter; i++) {
    a += mine[i];
    b += mine[i + quarter];
    c += mine[i + 2 * quarter];
    d += mine[i + 3 * quarter];
  }
  a += b + c + d;
  sums[get_global_id(0)] = a.x + a.y + a.z + a.w;
}

__kernel void scan_lanes(__global const ulong2* data, ulong vectors_per_item,
                         __global ulong* sums) {
  const size_t width = get_global_size(0);
  __global const ulong2* mine = data + get_global_id(0);
  ulong2 a = 0, b = 0, c = 0, d = 0;
  for (ulong i = 0; i < vectors_per_item; i += 4) {
    a += mine[i * width];
    b += mine[(i + 1) * width];
    c += mine[(i + 2) * width];
    d += mine[(i + 3) * width];
  }
  a += b + c + d;
  sums[get_global_id(0)] = a.x + a.y;
}
)";

//! How one kernel covers the buffer.
struct Shape {
  const char* kernel;
  size_t vector_bytes;
  size_t work_items;
  size_t work_group;
};

Shape ShapeFor(const DeviceInfo& info) {
  if (info.kind == DeviceKind::Cpu) {
    // Several stretches per core even out cores that are slowed down by others.
    return {"scan_loop", 32, size_t{info.compute_units} * 8, 1};
  }
  const size_t work_group = std::min<size_t>(256, info.largest_work_group);
  return {"scan_lanes", 16, size_t{info.compute_units} * 16 * work_group, work_group};
}

}  // namespace

double MeasureReadBandwidth(Device& device) {
  const DeviceInfo& info = device.Info();
  const Shape shape = ShapeFor(info);
  const uint64_t wanted = std::min({info.kind == DeviceKind::Cpu ? kCpuBytes : kGpuBytes,
                                    info.global_memory / 4, info.largest_buffer});
  const uint64_t bytes_per_step = shape.work_items * shape.vector_bytes * 4;
  const uint64_t steps = std::max<uint64_t>(wanted / bytes_per_step, 1);
  const uint64_t bytes = steps * bytes_per_step;

  const Buffer data = device.CreateBuffer(bytes, Access::ReadOnly);
  const Buffer sums = device.CreateBuffer(shape.work_items * sizeof(uint64_t), Access::WriteOnly);
  Kernel kernel = device.Programs().Get(kSource)->CreateKernel(shape.kernel);
  kernel.Argument(0, data).Argument(1, steps * 4).Argument(2, sums);
  QueueLease queue = device.AcquireQueue();
  queue->Fill(data, 0, bytes, 1);
  uint64_t best = UINT64_MAX;
  for (int run = 0; run < kRuns; ++run) {
    const Event event = queue->Launch(kernel, shape.work_items, shape.work_group);
    best = std::min(best, std::max<uint64_t>(event.KernelNanoseconds(), 1));
  }
  return static_cast<double>(bytes) * 1e9 / static_cast<double>(best);
}

}  // namespace margay::device
