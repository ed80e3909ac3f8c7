#include "kernels/split.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "kernels/embedded_sources.hpp"

namespace margay::kernels {

namespace {

//! Work-items of a launch, per compute unit; see RadixSort.
constexpr uint32_t kItemsPerCore = 4;
constexpr uint32_t kItemsPerMultiprocessor = 64;

//! Entries of a work-item: some times the partitions that it counts, and some milliseconds of a
//! CPU's core at most.
constexpr uint32_t kSmallestShare = 4096;
constexpr uint32_t kLargestShare = 1U << 22;

}  // namespace

Split::Pairs Split::Run(const device::Buffer& slots, uint32_t entries, uint32_t shift,
                        uint32_t partitions) const {
  if (entries == 0 || partitions == 0 || partitions > kMostPartitions)
    throw std::logic_error("Split: no entries, or a number of partitions that there can't be");
  const device::DeviceInfo& info = device_.Info();
  const uint32_t most_items =
      info.compute_units *
      (info.kind == device::DeviceKind::Gpu ? kItemsPerMultiprocessor : kItemsPerCore);
  const uint32_t share = std::clamp((entries - 1) / most_items + 1, kSmallestShare, kLargestShare);
  const uint32_t items = (entries - 1) / share + 1;

  Pairs pairs;
  pairs.words = pool_.TakeScratch(entries * sizeof(uint64_t));
  std::vector<uint32_t> places(size_t{partitions} * items);
  const size_t bytes = places.size() * sizeof(uint32_t);
  const memory::ScratchReservation reservation = pool_.Reserve(bytes);
  const device::Buffer counts = device_.CreateBuffer(bytes, device::Access::ReadWrite);
  const auto program = device_.Programs().Get(std::string(EmbeddedSource("split.cl")));
  device::QueueLease queue = device_.AcquireQueue();
  const auto run = [&](const char* name, bool has_pairs) {
    device::Kernel kernel = program->CreateKernel(name);
    kernel.Argument(0, slots)
        .Argument(1, entries)
        .Argument(2, share)
        .Argument(4, items)
        .Argument(5, shift)
        .Argument(6, partitions)
        .Argument(7, counts);
    if (has_pairs)
      kernel.Argument(8, pairs.words.Buffer());
    for (uint32_t first = 0; first < items; first += most_items) {
      between_launches_();
      kernel.Argument(3, first);
      const device::Event event = queue->Launch(kernel, std::min(most_items, items - first), 1);
      event.Wait();
      pairs.kernel_milliseconds += static_cast<double>(event.KernelNanoseconds()) / 1e6;
    }
  };
  run("split_count", false);
  queue->Read(counts, 0, places.data(), bytes);
  const uint32_t last = places.back();
  std::exclusive_scan(places.begin(), places.end(), places.begin(), 0U);
  queue->Write(counts, 0, places.data(), bytes);
  for (uint32_t partition = 0; partition < partitions; partition++)
    pairs.begins.push_back(places[size_t{partition} * items]);
  pairs.begins.push_back(places.back() + last);
  run("split_scatter", true);
  return pairs;
}

}  // namespace margay::kernels
