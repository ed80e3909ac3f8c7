#include "kernels/slot_chains.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "kernels/embedded_sources.hpp"
#include "kernels/split.hpp"

namespace margay::kernels {

namespace {

//! Slots of a partition: 1 MiB of heads, what a core of a CPU has for itself.
constexpr uint64_t kPartitionSlots = uint64_t{1} << 18;

//! Small tables have some partitions as well: work for all cores.
constexpr uint64_t kFewestPartitions = 16;

//! Pairs of a launch: some 50 ms of a CPU.
constexpr uint32_t kMostPairs = 1U << 23;

}  // namespace

double SlotChains::Fill(const Table& table) const {
  const uint64_t partitions =
      std::min(std::clamp<uint64_t>(table.slots / kPartitionSlots, kFewestPartitions,
                                    Split::kMostPartitions),
               table.slots);
  const auto shift = static_cast<uint32_t>(std::countr_zero(table.slots / partitions));
  const Split split(device_, pool_, between_launches_);
  const Split::Pairs pairs =
      split.Run(table.nexts, table.entries, shift, static_cast<uint32_t>(partitions));
  double milliseconds = pairs.kernel_milliseconds;

  const std::vector<uint32_t>& begins = pairs.begins;
  const size_t bytes = begins.size() * sizeof(uint32_t);
  const device::Buffer begins_buffer = device_.CreateBuffer(bytes, device::Access::ReadOnly);
  const auto program = device_.Programs().Get("#define LANES " + std::to_string(lanes_) + "\n" +
                                              std::string(EmbeddedSource("slot_chains.cl")));
  device::Kernel kernel = program->CreateKernel("chain_slots");
  device::QueueLease queue = device_.AcquireQueue();
  queue->Write(begins_buffer, 0, begins.data(), bytes);
  queue->Fill(table.nexts, 0, table.entries * sizeof(uint32_t), 0);
  kernel.Argument(0, pairs.words.Buffer())
      .Argument(1, begins_buffer)
      .Argument(4, kMostPairs)
      .Argument(5, table.heads)
      .Argument(6, table.nexts);
  for (uint32_t first = 0, next = 0; first < partitions; first = next) {
    // Partitions that fit into a launch together, or one that may need several.
    do
      next++;
    while (next < partitions && begins[next + 1] - begins[first] <= kMostPairs);
    const uint32_t count = begins[next] - begins[first];
    for (uint64_t from = 0; from < count; from += kMostPairs) {
      between_launches_();
      kernel.Argument(2, first).Argument(3, static_cast<uint32_t>(from));
      const device::Event event = queue->Launch(kernel, size_t{next - first} * lanes_, lanes_);
      event.Wait();
      milliseconds += static_cast<double>(event.KernelNanoseconds()) / 1e6;
    }
  }
  return milliseconds;
}

}  // namespace margay::kernels
