#include "optimize/rewrite/uncompressed.hpp"

#include <gtest/gtest.h>

#include "made_up_tables.hpp"

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::Operation;
using plan::TypeKind;

constexpr plan::Type kByte = TypeKind::UInt8;

ExpressionPointer Compressed(const ExpressionPointer& value, int64_t lowest,
                             Operation operation = Operation::Compress) {
  return Expression::Make(
      operation, kByte,
      {Expression::Make(Operation::Subtract, value->GetType(),
                        {value, Expression::Integer(lowest, value->GetType())})});
}

ExpressionPointer Expanded(const ExpressionPointer& value, int64_t lowest) {
  return Expression::Make(Operation::Add, kInteger,
                          {Expression::Make(Operation::Cast, kInteger, {value}),
                           Expression::Integer(lowest, kInteger)});
}

TEST(Uncompressed, FindsTheIntegerOfADistance) {
  const ExpressionPointer column = Column(0);
  EXPECT_EQ(Uncompressed(Compressed(column, 5)), column);
  const ExpressionPointer cast = Compressed(column, 5, Operation::Cast);
  EXPECT_EQ(Uncompressed(cast), cast) << "a cast of the query may fail";
}

TEST(Decompressed, WhatWasCompressedIsAsItWas) {
  const ExpressionPointer column = Column(0);
  EXPECT_EQ(Decompressed(Expanded(Compressed(column, 5), 5)), column);
  const ExpressionPointer sum =
      Expression::Make(Operation::Add, kInteger, {Expanded(Compressed(column, 5), 5), Column(1)});
  EXPECT_EQ(Decompressed(sum)->ToString(),
            Expression::Make(Operation::Add, kInteger, {column, Column(1)})->ToString());
}

TEST(Decompressed, OtherSumsStay) {
  const ExpressionPointer column = Column(0);
  for (const ExpressionPointer& other :
       {Expanded(Compressed(column, 5), 6), Expanded(Compressed(column, 5, Operation::Cast), 5),
        Compressed(column, 5)})
    EXPECT_EQ(Decompressed(other), other) << other->ToString();
}

//! DuckDB compresses what it sorts. Without errors to look for, the kernel leaves out rows that are
//! above the last one that is wanted so far.
TEST(Decompressed, FirstRowsOfAnOrderCanNotFail) {
  const MadeUpTable table{"t", 1000000, {{.name = "a", .values = 200}, {.name = "b"}}};
  plan::OrderKey key;
  key.expression = Column(1);
  plan::RowWindow window;
  window.limit = 10;
  const plan::NodePointer sorted = plan::Node::Order(
      plan::Node::Project(ScanOf(table), {Compressed(Column(0), 0), Column(1)}), {key}, window);
  const plan::NodePointer plan =
      plan::Node::Project(sorted, {Expanded(Expression::Column(0, kByte, "a"), 0), Column(1)});
  const Outline program = ProgramOf({table}, plan);
  for (const std::string& fault :
       ValuesOf(PartOf(LastPipeline(program), "give"), "output", "fault"))
    EXPECT_EQ(fault, "");
}

}  // namespace
}  // namespace margay::optimize
