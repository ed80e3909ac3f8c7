#include "compile/dialect.hpp"

#include <gtest/gtest.h>

#include "compile/refusal.hpp"

namespace margay::compile {
namespace {

Value Of(Machine machine, const std::string& code) {
  Value value;
  value.machine = machine;
  value.code = code;
  return value;
}

TEST(DialectTest, ConvertsBetweenIntegers) {
  EXPECT_EQ(Dialect::Row().Convert(Of(Machine::Int32, "v1"), Machine::Int64), "(long)v1");
  EXPECT_EQ(Dialect::Row().Convert(Of(Machine::Wide, "v1"), Machine::Int32), "(int)v1.low");
  EXPECT_EQ(Dialect::Row().Convert(Of(Machine::Int32, "v1"), Machine::Wide), "wide_from_long(v1)");
  EXPECT_EQ(Dialect::Vector().Convert(Of(Machine::Int32, "v1"), Machine::Int32), "v1");
  EXPECT_EQ(Dialect::Vector().Convert(Of(Machine::Int32, "v1"), Machine::Int64),
            "convert_long8(v1)");
}

TEST(DialectTest, FlagsOfVectorsAreIntegersOfThirtyTwoBits) {
  EXPECT_EQ(Dialect::Row().Less(Machine::Int64, "a", "b"), "(a < b)");
  EXPECT_EQ(Dialect::Vector().Less(Machine::Int32, "a", "b"), "(a < b)");
  EXPECT_EQ(Dialect::Vector().Less(Machine::Int64, "a", "b"), "convert_int8((a < b))");
  EXPECT_EQ(Dialect::Vector().Choose("c", "a", "b", Machine::Int32), "c ? a : b");
  EXPECT_EQ(Dialect::Vector().Choose("c", "a", "b", Machine::Int64), "convert_long8(c) ? a : b");
}

TEST(DialectTest, VectorsHoldIntegersOnly) {
  EXPECT_EQ(Dialect::Vector().Type(Machine::Int32), "int8");
  EXPECT_EQ(Dialect::Vector().Type(Machine::Int64), "long8");
  for (Machine machine : {Machine::Wide, Machine::Float32, Machine::Float64}) {
    EXPECT_THROW(Dialect::Vector().Type(machine), NotVectorizable);
  }
  EXPECT_THROW(Dialect::Vector().RequireRow(), NotVectorizable);
  EXPECT_NO_THROW(Dialect::Row().RequireRow());
}

}  // namespace
}  // namespace margay::compile
