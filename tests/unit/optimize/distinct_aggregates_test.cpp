#include "optimize/rewrite/distinct_aggregates.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {
namespace {

using namespace plan;  // of which every line of these tests is made

constexpr Type kSmallint = TypeKind::Int16;

ExpressionPointer Small(size_t column) {
  return Expression::Column(column, kSmallint, {});
}

Aggregate Count(ExpressionPointer argument) {
  return {AggregateFunction::Count, std::move(argument), kBigint};
}

Aggregate Sum(ExpressionPointer argument) {
  return {AggregateFunction::Sum, std::move(argument), kHugeint};
}

TEST(DistinctAggregates, OfAllRowsAreGroupsAlone) {
  const DistinctAggregates aggregates({Count(Number(1)), Sum(Number(1))}, {false, false});
  EXPECT_EQ(aggregates.Readings(), 1U);
  EXPECT_EQ(
      aggregates.Group(TwoNumbers("t"), {Number(0)})->ToString(),
      Node::GroupBy(TwoNumbers("t"), {Number(0)}, {Count(Number(1)), Sum(Number(1))})->ToString());
  // Keys alone.
  EXPECT_EQ(DistinctAggregates({}, {}).Group(TwoNumbers("t"), {Number(0)})->ToString(),
            Node::GroupBy(TwoNumbers("t"), {Number(0)}, {})->ToString());
}

TEST(DistinctAggregates, OfOneArgumentAreTwoSteps) {
  const Aggregate greatest{AggregateFunction::Max, Number(1), kBigint};
  // What ignores repetition takes the same step.
  const DistinctAggregates aggregates({Count(Number(1)), greatest, Sum(Number(1))},
                                      {true, false, true});
  EXPECT_EQ(aggregates.Readings(), 1U);
  EXPECT_EQ(aggregates.Group(TwoNumbers("t"), {Number(0)})->ToString(),
            Node::GroupBy(Node::GroupBy(TwoNumbers("t"), {Number(0), Number(1)}, {}), {Number(0)},
                          {Count(Number(1)), greatest, Sum(Number(1))})
                ->ToString());
  // It takes none of its own.
  EXPECT_EQ(DistinctAggregates({greatest}, {true}).Group(TwoNumbers("t"), {})->ToString(),
            Node::GroupBy(TwoNumbers("t"), {}, {greatest})->ToString());
}

TEST(DistinctAggregates, ArgumentsThatAreWidenedAreOne) {
  const NodePointer table = Node::Scan("t", {{0, "a", kSmallint}});
  const auto wide = [](ExpressionPointer value) {
    return Expression::Make(Operation::Cast, kInteger, {std::move(value)});
  };
  EXPECT_EQ(DistinctAggregates({Count(Small(0)), Sum(wide(Small(0)))}, {true, true})
                .Group(table, {})
                ->ToString(),
            Node::GroupBy(Node::GroupBy(table, {Small(0)}, {}), {},
                          {Count(Small(0)), Sum(wide(Small(0)))})
                ->ToString());
  // A narrower type does not tell all values apart.
  const ExpressionPointer narrow = Expression::Make(Operation::Cast, TypeKind::Int8, {Small(0)});
  EXPECT_EQ(DistinctAggregates({Count(Small(0)), Count(narrow)}, {true, true}).Readings(), 2U);
}

TEST(DistinctAggregates, OfSeveralArgumentsAreJoined) {
  const DistinctAggregates aggregates(
      {Count(Number(1)), {AggregateFunction::CountStar, nullptr, kBigint}, Sum(Number(0))},
      {true, false, true});
  EXPECT_EQ(aggregates.Readings(), 3U);
  EXPECT_EQ(aggregates.Group(TwoNumbers("t"), {Number(1)})->ToString(),
            R"(PROJECT [#0, #3, #1, #5]
  JOIN INNER [#0 IS NOT DISTINCT FROM #0]
    JOIN INNER [#0 IS NOT DISTINCT FROM #0]
      AGGREGATE groups=[#1] aggregates=[count(*)::BIGINT]
        SCAN t [t_a BIGINT, t_b BIGINT]
      AGGREGATE groups=[#0] aggregates=[count(#1)::BIGINT]
        AGGREGATE groups=[#1, #1] aggregates=[]
          SCAN t [t_a BIGINT, t_b BIGINT]
    AGGREGATE groups=[#0] aggregates=[sum(#1)::HUGEINT]
      AGGREGATE groups=[#1, #0] aggregates=[]
        SCAN t [t_a BIGINT, t_b BIGINT])");
  // One row of each.
  EXPECT_EQ(aggregates.Group(TwoNumbers("t"), {})->ToString(),
            R"(PROJECT [#1, #0, #2]
  JOIN INNER [0 = 0]
    JOIN INNER [0 = 0]
      AGGREGATE groups=[] aggregates=[count(*)::BIGINT]
        SCAN t [t_a BIGINT, t_b BIGINT]
      AGGREGATE groups=[] aggregates=[count(#0)::BIGINT]
        AGGREGATE groups=[#1] aggregates=[]
          SCAN t [t_a BIGINT, t_b BIGINT]
    AGGREGATE groups=[] aggregates=[sum(#0)::HUGEINT]
      AGGREGATE groups=[#0] aggregates=[]
        SCAN t [t_a BIGINT, t_b BIGINT])");
}

}  // namespace
}  // namespace margay::optimize
