// The radix sort against a stable sort of the host, on every usable device.
#include "kernels/radix_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "unit/every_device.hpp"

namespace margay::kernels {
namespace {

using Words = std::vector<std::vector<uint64_t>>;

std::vector<uint32_t> Reference(const Words& words) {
  std::vector<uint32_t> rows(words[0].size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    for (const std::vector<uint64_t>& word : words) {
      if (word[a] != word[b])
        return word[a] < word[b];
    }
    return false;
  });
  return rows;
}

TEST(RadixSortTest, AgreesWithAStableSort) {
  std::mt19937_64 random(19);
  const uint64_t masks[] = {0, 1, 0xff00, 0xffff0000ffff, UINT64_MAX, uint64_t{1} << 63};
  for (size_t count : {size_t{1}, size_t{2}, size_t{4096}, size_t{4097}, size_t{100003}}) {
    for (uint64_t mask : masks) {
      Words words(1 + random() % 3);
      for (std::vector<uint64_t>& word : words) {
        for (size_t i = 0; i < count; i++)
          word.push_back(random() & mask);
      }
      const std::vector<uint32_t> expected = Reference(words);
      OnEveryDevice([&](device::Device& device, memory::ExtentPool& pool) {
        EXPECT_EQ(RadixSort(device, pool).Sort(words), expected) << count << " rows, " << mask;
      });
    }
  }
}

TEST(RadixSortTest, NoRowsAreSorted) {
  OnEveryDevice([](device::Device& device, memory::ExtentPool& pool) {
    EXPECT_TRUE(RadixSort(device, pool).Sort(Words(2)).empty());
    EXPECT_TRUE(RadixSort(device, pool).Sort(Words()).empty());
  });
}

TEST(RadixSortTest, MayBeGivenUp) {
  const Words words = {{3, 1, 2}};
  OnEveryDevice([&](device::Device& device, memory::ExtentPool& pool) {
    const RadixSort sort(device, pool, [] { throw std::runtime_error("stop"); });
    EXPECT_THROW(sort.Sort(words), std::runtime_error);
  });
}

}  // namespace
}  // namespace margay::kernels
