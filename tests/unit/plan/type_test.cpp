#include "plan/type.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace margay::plan {
namespace {

TEST(Integer128, ToStringCoversTheWholeRange) {
  EXPECT_EQ(ToString(Int128(0)), "0");
  EXPECT_EQ(ToString(Int128(-7)), "-7");
  EXPECT_EQ(ToString(kInt128Max), "170141183460469231731687303715884105727");
  EXPECT_EQ(ToString(kInt128Min), "-170141183460469231731687303715884105728");
  EXPECT_EQ(ToString(PowerOfTen(38)), "1" + std::string(38, '0'));
}

TEST(Type, RangesAreThoseOfTheType) {
  EXPECT_EQ(ToString(Type(TypeKind::Boolean).LowestValue()), "0");
  EXPECT_EQ(ToString(Type(TypeKind::Boolean).HighestValue()), "1");
  EXPECT_EQ(ToString(Type(TypeKind::Int8).LowestValue()), "-128");
  EXPECT_EQ(ToString(Type(TypeKind::UInt64).LowestValue()), "0");
  EXPECT_EQ(ToString(Type(TypeKind::UInt64).HighestValue()), "18446744073709551615");
  EXPECT_EQ(Type(TypeKind::Int128).LowestValue(), kInt128Min);
  EXPECT_EQ(ToString(Type::Decimal(4, 2).LowestValue()), "-9999");
  EXPECT_EQ(ToString(Type::Decimal(4, 2).HighestValue()), "9999");
  EXPECT_THROW(Type(TypeKind::Varchar).HighestValue(), std::logic_error);
  EXPECT_THROW(Type(TypeKind::Float64).LowestValue(), std::logic_error);
}

TEST(Type, PhysicalBytesOfDecimalsFollowTheWidth) {
  EXPECT_EQ(Type::Decimal(4, 0).PhysicalBytes(), 2);
  EXPECT_EQ(Type::Decimal(5, 0).PhysicalBytes(), 4);
  EXPECT_EQ(Type::Decimal(9, 0).PhysicalBytes(), 4);
  EXPECT_EQ(Type::Decimal(18, 0).PhysicalBytes(), 8);
  EXPECT_EQ(Type::Decimal(19, 0).PhysicalBytes(), 16);
}

TEST(Type, ToStringIsDuckDbs) {
  EXPECT_EQ(Type(TypeKind::Int32).ToString(), "INTEGER");
  EXPECT_EQ(Type(TypeKind::UInt128).ToString(), "UHUGEINT");
  EXPECT_EQ(Type::Decimal(15, 2).ToString(), "DECIMAL(15,2)");
}

TEST(Type, DecimalsDifferByWidthAndScale) {
  EXPECT_EQ(Type::Decimal(15, 2), Type::Decimal(15, 2));
  EXPECT_NE(Type::Decimal(15, 2), Type::Decimal(15, 3));
  EXPECT_NE(Type::Decimal(15, 2), Type::Decimal(16, 2));
}

}  // namespace
}  // namespace margay::plan
