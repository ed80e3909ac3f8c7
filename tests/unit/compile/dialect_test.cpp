#include "compile/dialect.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace margay::compile {
namespace {

WrittenValue Of(Machine machine, const std::string& code) {
  return {machine, code, {}};
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
  EXPECT_EQ(Dialect::Row().Flag("(a < b)", Machine::Int64), "(a < b)");
  EXPECT_EQ(Dialect::Vector().Flag("(a < b)", Machine::Int32), "(a < b)");
  EXPECT_EQ(Dialect::Vector().Flag("(a < b)", Machine::Int64), "convert_int8((a < b))");
  EXPECT_EQ(Dialect::Vector().Choose("c", "a", "b", Machine::Int32), "c ? a : b");
  EXPECT_EQ(Dialect::Vector().Choose("c", "a", "b", Machine::Int64), "convert_long8(c) ? a : b");
}

TEST(DialectTest, VectorsHoldIntegersOnly) {
  EXPECT_EQ(Dialect::Vector().Type(Machine::Int32), "int8");
  EXPECT_EQ(Dialect::Vector().Type(Machine::Int64), "long8");
  for (Machine machine : {Machine::Wide, Machine::Float32, Machine::Float64}) {
    EXPECT_THROW(Dialect::Vector().Type(machine), std::logic_error);
  }
}

TEST(DialectTest, TellsWhatVectorsCanCompute) {
  optimize::NodeGraph graph;
  const auto is_flag = [](size_t column) { return column == 9; };
  const auto* narrow = graph.Column(0, Machine::Int32);
  const auto* wide = graph.Column(1, Machine::Wide);
  EXPECT_TRUE(CanVectorize(*narrow, is_flag));
  EXPECT_TRUE(
      CanVectorize(*graph.Wrapping("+", narrow, graph.Parameter(0, Machine::Int32)), is_flag));
  EXPECT_TRUE(CanVectorize(*graph.Calendar("year", true, {narrow}), is_flag));
  EXPECT_FALSE(CanVectorize(*wide, is_flag));
  EXPECT_FALSE(CanVectorize(*graph.Convert(wide, Machine::Int32), is_flag));
  EXPECT_FALSE(CanVectorize(*graph.Infix(Machine::Int32, "/", narrow, narrow), is_flag));
  // A BOOLEAN is 0 or 1 in its column, and no flag of a vector.
  EXPECT_FALSE(CanVectorize(*graph.Not(graph.Column(9, Machine::Int32)), is_flag));
  EXPECT_FALSE(CanVectorize(*graph.FlagParameter(0), is_flag));
}

}  // namespace
}  // namespace margay::compile
