#include "optimize/estimate/range.hpp"

#include <gtest/gtest.h>

#include "optimize/value/value.hpp"

namespace margay::optimize {
namespace {

TEST(RangeTest, ArithmeticOfBounds) {
  const Range a{-3, 5, true}, b{2, 7, true};
  EXPECT_EQ(a + b, (Range{-1, 12, true}));
  EXPECT_EQ(a - b, (Range{-10, 3, true}));
  EXPECT_EQ(a * b, (Range{-21, 35, true}));
}

TEST(RangeTest, BeyondOneHundredAndTwentyEightBitsIsNotExact) {
  const Range top = Range::Of(kInt128Max);
  EXPECT_FALSE((top + Range::Of(1)).exact);
  EXPECT_FALSE((Range::Of(kInt128Min) - Range::Of(1)).exact);
  EXPECT_FALSE((top * Range::Of(2)).exact);
  EXPECT_TRUE((top * Range::Of(1)).exact);
  EXPECT_FALSE(Range::All().Contains(top + Range::Of(1)))
      << "what is not exact is nowhere contained";
}

TEST(RangeTest, MachineTypes) {
  EXPECT_EQ(MachineFor({INT32_MIN, INT32_MAX, true}), Machine::Int32);
  EXPECT_EQ(MachineFor({INT32_MIN, Int128{INT32_MAX} + 1, true}), Machine::Int64);
  EXPECT_EQ(MachineFor({INT64_MIN, INT64_MAX, true}), Machine::Int64);
  EXPECT_EQ(MachineFor({0, Int128{INT64_MAX} + 1, true}), Machine::Wide);
}

TEST(RangeTest, ConstantsOfOneWidthShareARange) {
  EXPECT_EQ(RangeOfConstant(0), RangeOfConstant(100)) << "one kernel serves both";
  EXPECT_EQ(RangeOfConstant(-128), (Range{-128, 127, true}));
  EXPECT_EQ(RangeOfConstant(128), (Range{-32768, 32767, true}));
  EXPECT_EQ(RangeOfConstant(Int128{INT64_MAX} + 1), Range::All());
}

TEST(RangeTest, CutTo) {
  EXPECT_EQ((Range{-10, 10, true}.CutTo({0, 100, true})), (Range{0, 10, true}));
  EXPECT_EQ((Range{-10, -5, true}.CutTo({0, 100, true})), (Range{0, 100, true}))
      << "nothing inside: the bounds themselves";
}

TEST(RangeTest, Magnitude) {
  EXPECT_TRUE((Range{-7, 3, true}.Magnitude()) == 7);
  EXPECT_TRUE((Range{3, 9, true}.Magnitude()) == 9);
  EXPECT_TRUE((Range{kInt128Min, 0, true}.Magnitude()) == kInt128Max);
}

}  // namespace
}  // namespace margay::optimize
