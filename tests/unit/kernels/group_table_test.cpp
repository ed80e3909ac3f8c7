// The table of groups of group_table.cl against a map, on every usable device.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "kernels/embedded_sources.hpp"
#include "unit/usable_devices.hpp"

namespace margay::kernels {
namespace {

constexpr size_t kCodeWords = 3;

using Code = std::array<uint64_t, kCodeWords>;

//! Counts `codes` in the table; `full` counts those that found no slot.
const char* const kKernel = R"(
__kernel void count_codes(__global const ulong* codes, volatile __global ulong* table,
                          const ulong mask, volatile __global uint* counts,
                          volatile __global uint* full) {
  ulong code[CODE_WORDS];
  for (uint word = 0; word < CODE_WORDS; word++)
    code[word] = codes[get_global_id(0) * CODE_WORDS + word];
  const ulong slot = group_slot(table, mask, code);
  if (slot > mask) {
    atomic_inc(full);
  } else {
    atomic_inc(counts + slot);
  }
}
)";

struct Counted {
  std::map<Code, uint32_t> counts;
  uint32_t full = 0;
};

Counted Count(device::Device& device, const std::vector<Code>& codes, uint64_t slots) {
  std::string source = "#define CODE_WORDS " + std::to_string(kCodeWords) + "\n";
  for (const char* name : {"numeric.cl", "atomic.cl", "hash.cl", "group_table.cl"})
    source += std::string(EmbeddedSource(name)) + "\n";
  const auto program = device.Programs().Get(source + kKernel);
  const device::Buffer input =
      device.CreateBuffer(codes.size() * sizeof(Code), device::Access::ReadOnly);
  const device::Buffer table =
      device.CreateZeroedBuffer(slots * sizeof(Code), device::Access::ReadWrite);
  const device::Buffer counts =
      device.CreateZeroedBuffer(slots * sizeof(uint32_t), device::Access::ReadWrite);
  const device::Buffer full =
      device.CreateZeroedBuffer(sizeof(uint32_t), device::Access::ReadWrite);
  device::QueueLease queue = device.AcquireQueue();
  queue->Write(input, 0, codes.data(), codes.size() * sizeof(Code));
  device::Kernel kernel = program->CreateKernel("count_codes");
  kernel.Argument(0, input)
      .Argument(1, table)
      .Argument(2, slots - 1)
      .Argument(3, counts)
      .Argument(4, full);
  queue->Launch(kernel, codes.size(), 0).Wait();

  std::vector<Code> held(slots);
  std::vector<uint32_t> counted(slots);
  Counted result;
  queue->Read(table, 0, held.data(), slots * sizeof(Code));
  queue->Read(counts, 0, counted.data(), slots * sizeof(uint32_t));
  queue->Read(full, 0, &result.full, sizeof(uint32_t));
  for (uint64_t slot = 0; slot < slots; slot++) {
    const bool is_taken = held[slot][0] != 0;
    for (uint64_t word : held[slot])
      EXPECT_EQ(word != 0, is_taken) << "a slot without all words of a code";
    if (!is_taken)
      continue;
    EXPECT_TRUE(result.counts.emplace(held[slot], counted[slot]).second) << "two slots of one code";
  }
  return result;
}

template <typename Check>
void OnEveryDevice(const Check& check) {
  for (const auto& device : UsableDevices()) {
    const device::DeviceInfo& info = device->Info();
    SCOPED_TRACE(info.name + " on " + info.platform);
    check(*device);
  }
}

TEST(GroupTableTest, EveryCodeHasOneSlot) {
  std::mt19937_64 random(3);
  for (const uint64_t different : {1, 2, 100, 5000}) {
    std::vector<Code> codes;
    std::map<Code, uint32_t> expected;
    for (int i = 0; i < 20000; i++) {
      // Neighbours, codes that differ in their upper bits only, and codes that share words.
      const uint64_t code = random() % different;
      codes.push_back({1 + code % 3, 1 + (code % 2 == 0 ? code : code << 40), 1 + code % 5});
      expected[codes.back()]++;
    }
    OnEveryDevice([&](device::Device& device) {
      const Counted counted = Count(device, codes, 16384);
      EXPECT_EQ(counted.full, 0U);
      EXPECT_EQ(counted.counts, expected);
    });
  }
}

TEST(GroupTableTest, AFullTableSaysSo) {
  std::vector<Code> codes(1000);
  for (size_t i = 0; i < codes.size(); i++)
    codes[i] = {1, 1 + i * 1000003, 7};
  OnEveryDevice([&](device::Device& device) {
    const Counted counted = Count(device, codes, 256);
    EXPECT_GE(counted.full, 1000U - 256U);
    uint32_t taken = 0;
    for (const auto& [code, count] : counted.counts)
      taken += count;
    EXPECT_EQ(taken + counted.full, 1000U);
  });
}

}  // namespace
}  // namespace margay::kernels
