// How keys are spread over the words of a group's index.
#include "optimize/physical/group_index.hpp"

#include <gtest/gtest.h>

namespace margay::optimize {
namespace {

constexpr uint64_t kWord = UINT64_MAX;
constexpr uint64_t kDigit = uint64_t{1} << kDigitBits;

std::vector<uint64_t> Values(UInt128 last, bool has_null) {
  std::vector<uint64_t> values;
  for (const GroupDigit& digit : DigitsOf(last, has_null))
    values.push_back(digit.values);
  return values;
}

TEST(GroupIndex, OneDigitWhereAWordHasRoomForAllPlaces) {
  EXPECT_EQ(Values(0, true), (std::vector<uint64_t>{1}));
  EXPECT_EQ(Values(kWord - 2, true), (std::vector<uint64_t>{kWord - 1}));
  EXPECT_EQ(Values(kWord - 1, false), (std::vector<uint64_t>{kDigit, 2}));
  EXPECT_EQ(Values(kWord, true), (std::vector<uint64_t>{kDigit, 2}));
  EXPECT_EQ(Values(UInt128{kWord} + 1, true), (std::vector<uint64_t>{kDigit, 3}));
  EXPECT_EQ(Values(~UInt128{0}, true), (std::vector<uint64_t>{kDigit, kDigit, 4}));
}

TEST(GroupIndex, NullBelongsToTheLastDigit) {
  const std::vector<GroupDigit> digits = DigitsOf(~UInt128{0}, true);
  EXPECT_FALSE(digits[0].has_null);
  EXPECT_FALSE(digits[1].has_null);
  EXPECT_EQ(digits[2].Places(), 5U);
}

TEST(GroupIndex, DigitsShareWordsThatHaveRoom) {
  std::vector<uint64_t> places{1};
  const auto place = [&](uint64_t values) {
    GroupDigit digit{values, false, 0, 1};
    PlaceDigit(digit, places);
    return std::make_pair(digit.word, digit.stride);
  };
  EXPECT_EQ(place(10), std::make_pair(size_t{0}, uint64_t{1}));
  EXPECT_EQ(place(kWord), std::make_pair(size_t{1}, uint64_t{1}));
  EXPECT_EQ(place(7), std::make_pair(size_t{0}, uint64_t{10}));
  EXPECT_EQ(place(kDigit), std::make_pair(size_t{2}, uint64_t{1}));
  EXPECT_EQ(place(kWord / 70), std::make_pair(size_t{0}, uint64_t{70}));
  EXPECT_EQ(place(2), std::make_pair(size_t{3}, uint64_t{1}));
}

}  // namespace
}  // namespace margay::optimize
