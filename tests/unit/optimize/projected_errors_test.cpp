#include "optimize/rewrite/projected_errors.hpp"

#include <gtest/gtest.h>

#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {
namespace {

using namespace plan;  // of which every line of these tests is made

//! a, a + 1 and a < 1 of a table.
NodePointer Projection() {
  const auto a = Expression::Column(0, kBigint, "a");
  const auto one = Expression::Integer(1, kBigint);
  return Node::Project(Node::Scan("t", {{10, "a", kBigint}}),
                       {a, Expression::Make(Operation::Add, kBigint, {a, one}),
                        Expression::Make(Operation::Less, kBoolean, {a, one})});
}

ExpressionPointer Output(size_t column) {
  return Expression::Column(column, kBigint, "c" + std::to_string(column));
}

TEST(ProjectedErrors, WhatIsComputedForEachRowStays) {
  const NodePointer node = Projection();
  EXPECT_EQ(KeepProjectedErrors(node, {Output(1)}), node);
  EXPECT_EQ(KeepProjectedErrors(
                node, {Expression::Make(Operation::Coalesce, kBigint, {Output(1), Output(0)})}),
            node);
  EXPECT_EQ(KeepProjectedErrors(node->Input(), {Output(0)}), node->Input());
}

TEST(ProjectedErrors, WhatIsComputedForSomeRowsIsComputedBefore) {
  const NodePointer node = Projection();
  const NodePointer kept = KeepProjectedErrors(
      node, {Expression::Make(Operation::Coalesce, kBigint, {Output(0), Output(1)})});
  ASSERT_EQ(kept->Kind(), NodeKind::Project);
  ASSERT_EQ(kept->Input()->Kind(), NodeKind::Filter);
  EXPECT_EQ(kept->Input()->Predicate()->ToString(), "(((a + 1) IS NULL) OR ((a + 1) IS NOT NULL))");
  EXPECT_EQ(kept->OutputTypes(), node->OutputTypes());
}

}  // namespace
}  // namespace margay::optimize
