#include "storage/bitmap.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace margay::storage {
namespace {

TEST(Bitmap, RangesAgreeWithSingleBits) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> source(5);
  for (uint64_t& word : source) {
    word = random() | random();
  }
  for (size_t round = 0; round < 2000; round++) {
    const size_t first = random() % 320;
    const size_t count = random() % (321 - first);
    const size_t to = random() % 100;
    const bool all_ones = round % 5 == 0;
    std::vector<uint64_t> destination(BitmapWords(to + count));
    OrBitRange(destination.data(), to, all_ones ? nullptr : source.data(), first, count);
    std::vector<size_t> zeros;
    size_t ones = 0;
    for (size_t i = 0; i < count; i++) {
      const bool bit = BitAt(source.data(), first + i);
      ASSERT_EQ(BitAt(destination.data(), to + i), bit || all_ones);
      ones += bit ? 1 : 0;
      if (!bit) {
        zeros.push_back(i);
      }
    }
    for (size_t i = 0; i < to; i++) {
      ASSERT_FALSE(BitAt(destination.data(), i)) << "a bit before the range was set";
    }
    ASSERT_EQ(CountOnes(source.data(), first, count), ones);
    std::vector<size_t> found;
    ForEachZero(source.data(), first, count, [&](size_t i) { found.push_back(i); });
    ASSERT_EQ(found, zeros);
    size_t found_ones = 0;
    ForEachOne(source.data(), first, count, [&](size_t i) {
      EXPECT_TRUE(BitAt(source.data(), first + i));
      found_ones++;
    });
    ASSERT_EQ(found_ones, ones);
  }
}

}  // namespace
}  // namespace margay::storage
