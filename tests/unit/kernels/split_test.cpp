// Entries split by their slots, against the host, on every usable device.
#include "kernels/split.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "unit/every_device.hpp"

namespace margay::kernels {
namespace {

using Pairs = std::vector<std::vector<uint64_t>>;  //!< by partition

Pairs Reference(const std::vector<uint32_t>& slots, uint32_t shift, uint32_t partitions) {
  Pairs pairs(partitions);
  for (uint64_t i = 0; i < slots.size(); i++) {
    if (slots[i] != 0)
      pairs[(slots[i] - 1) >> shift].push_back(i << 32 | (slots[i] - 1));
  }
  return pairs;
}

device::Buffer Upload(device::Device& device, const std::vector<uint32_t>& values) {
  const size_t bytes = values.size() * sizeof(uint32_t);
  device::Buffer buffer = device.CreateBuffer(bytes, device::Access::ReadOnly);
  device.AcquireQueue()->Write(buffer, 0, values.data(), bytes);
  return buffer;
}

void ExpectSplit(const std::vector<uint32_t>& slots, uint32_t shift, uint32_t partitions) {
  const Pairs expected = Reference(slots, shift, partitions);
  OnEveryDevice([&](device::Device& device, memory::ExtentPool& pool) {
    const Split split(device, pool, [] {});
    const Split::Pairs pairs =
        split.Run(Upload(device, slots), static_cast<uint32_t>(slots.size()), shift, partitions);
    ASSERT_EQ(pairs.begins.size(), partitions + 1);
    std::vector<uint64_t> words(slots.size());
    device.AcquireQueue()->Read(pairs.words.Buffer(), 0, words.data(),
                                words.size() * sizeof(uint64_t));
    for (uint32_t partition = 0; partition < partitions; partition++) {
      const std::vector<uint64_t> found(words.begin() + pairs.begins[partition],
                                        words.begin() + pairs.begins[partition + 1]);
      ASSERT_EQ(found, expected[partition]) << slots.size() << " entries, partition " << partition;
    }
  });
}

TEST(SplitTest, PartitionsKeepTheOrderOfEntries) {
  std::mt19937 random(23);
  for (const size_t count : {1, 2, 4096, 4097, 100003}) {
    for (const uint32_t partitions : {1U, 16U, Split::kMostPartitions}) {
      std::vector<uint32_t> slots(count);
      for (uint32_t& slot : slots)
        slot = random() % 10 == 0 ? 0 : random() % (partitions << 5) + 1;
      ExpectSplit(slots, 5, partitions);
    }
  }
}

TEST(SplitTest, OnePartitionMayHaveAllEntriesOrNone) {
  ExpectSplit(std::vector<uint32_t>(50000, 0), 3, 32);
  ExpectSplit(std::vector<uint32_t>(50000, 32 * 8), 3, 32);
  // The last slot that a table can have.
  ExpectSplit(std::vector<uint32_t>(5, 1U << 31), 21, Split::kMostPartitions);
}

TEST(SplitTest, MayBeGivenUp) {
  OnEveryDevice([](device::Device& device, memory::ExtentPool& pool) {
    const device::Buffer slots = Upload(device, {1, 2, 3});
    const Split split(device, pool, [] { throw std::runtime_error("stop"); });
    EXPECT_THROW(split.Run(slots, 3, 1, 2), std::runtime_error);
  });
}

}  // namespace
}  // namespace margay::kernels
