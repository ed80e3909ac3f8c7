#include "optimize/rewrite/prune_scans.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {
namespace {

using namespace plan;  // of which every line of these tests is made

//! A scan of `table` with columns a, b, c, d that are numbered from 10 on.
NodePointer Table(const std::string& table) {
  return Node::Scan(table,
                    {{10, "a", kBigint}, {11, "b", kBigint}, {12, "c", kBigint}, {13, "d", kDate}});
}

ExpressionPointer Less(ExpressionPointer left, ExpressionPointer right) {
  return Expression::Make(Operation::Less, kBoolean, {std::move(left), std::move(right)});
}

std::string Pruned(const NodePointer& plan) {
  const NodePointer pruned = PruneScans(plan);
  EXPECT_EQ(pruned->OutputTypes(), plan->OutputTypes());
  return pruned->ToString();
}

TEST(PruneScans, TheOutputStays) {
  EXPECT_EQ(Pruned(Table("t")), Table("t")->ToString());
  const NodePointer filter = Node::Filter(Table("t"), Less(Number(2, "c"), Number(0, "a")));
  EXPECT_EQ(Pruned(filter), filter->ToString());
}

TEST(PruneScans, LeavesOutWhatNothingUses) {
  EXPECT_EQ(Pruned(Node::Project(
                Node::Filter(Table("t"), Less(Number(2, "c"), Expression::Integer(5, kBigint))),
                {Number(1, "b")})),
            "PROJECT [b]\n"
            "  FILTER (c < 5)\n"
            "    SCAN t [b BIGINT, c BIGINT]");
  EXPECT_EQ(Pruned(Node::GroupBy(Table("t"), {Number(2, "c")},
                                 {{AggregateFunction::Min, Number(0, "a"), kBigint},
                                  {AggregateFunction::CountStar, nullptr, kBigint}})),
            "AGGREGATE groups=[c] aggregates=[min(a)::BIGINT, count(*)::BIGINT]\n"
            "  SCAN t [a BIGINT, c BIGINT]");
  EXPECT_EQ(
      Pruned(Node::GroupBy(Table("t"), {}, {{AggregateFunction::CountStar, nullptr, kBigint}})),
      "AGGREGATE groups=[] aggregates=[count(*)::BIGINT]\n"
      "  SCAN t []");
}

TEST(PruneScans, KeepsTheNumbersOfColumns) {
  const NodePointer pruned = PruneScans(Node::Project(Table("t"), {Number(2, "c")}));
  ASSERT_EQ(BottomScan(*pruned).Columns().size(), 1U);
  EXPECT_EQ(BottomScan(*pruned).Columns()[0].id, 12U);
  EXPECT_EQ(pruned->Expressions()[0]->ColumnIndex(), 0U);
}

TEST(PruneScans, ProjectionsInBetweenLoseOutputs) {
  const NodePointer inner = Node::Project(
      Table("t"), {Number(0, "a"), Less(Number(1, "b"), Number(2, "c")), Number(2, "c")});
  EXPECT_EQ(Pruned(Node::Project(inner, {Number(2, "c"), Number(2, "c")})),
            "PROJECT [c, c]\n"
            "  PROJECT [c]\n"
            "    SCAN t [c BIGINT]");
  EXPECT_EQ(Pruned(Node::GroupBy(inner, {}, {{AggregateFunction::CountStar, nullptr, kBigint}})),
            "AGGREGATE groups=[] aggregates=[count(*)::BIGINT]\n"
            "  PROJECT []\n"
            "    SCAN t []");
  EXPECT_EQ(Pruned(inner), "PROJECT [a, (b < c), c]\n  SCAN t [a BIGINT, b BIGINT, c BIGINT]")
      << "the topmost one gives the result";
}

TEST(PruneScans, JoinsNeedTheirKeysAndResidual) {
  const auto join = [](JoinKind kind) {
    return Node::Join(kind, Table("left"), Table("right"),
                      {{Number(1, "b"), Number(2, "c"), false}},
                      Less(Number(2, "c"), Number(5, {})));
  };
  EXPECT_EQ(Pruned(Node::Project(join(JoinKind::Left),
                                 {Expression::Column(7, kDate, {}), Number(2, "c")})),
            "PROJECT [#4, c]\n"
            "  JOIN LEFT [b = c] AND (c < #2)\n"
            "    SCAN left [b BIGINT, c BIGINT]\n"
            "    SCAN right [b BIGINT, c BIGINT, d DATE]");
  EXPECT_EQ(Pruned(Node::Project(join(JoinKind::Semi), {Expression::Column(3, kDate, "d")})),
            "PROJECT [d]\n"
            "  JOIN SEMI [b = c] AND (c < #3)\n"
            "    SCAN left [b BIGINT, c BIGINT, d DATE]\n"
            "    SCAN right [b BIGINT, c BIGINT]");
  EXPECT_EQ(Pruned(join(JoinKind::Anti)),
            "JOIN ANTI [b = c] AND (c < #4)\n"
            "  SCAN left [a BIGINT, b BIGINT, c BIGINT, d DATE]\n"
            "  SCAN right [b BIGINT, c BIGINT]");
}

TEST(PruneScans, OrdersKeepTheirKeys) {
  const NodePointer order = Node::Order(
      Table("t"), {{Number(2, "c"), true, false}, {Number(0, "a"), false, true}}, {5, 1});
  EXPECT_EQ(Pruned(Node::Project(order, {Expression::Column(3, kDate, "d")})),
            "PROJECT [d]\n"
            "  ORDER [c DESC NULLS LAST, a ASC NULLS FIRST] LIMIT 5 OFFSET 1\n"
            "    SCAN t [a BIGINT, c BIGINT, d DATE]");
}

TEST(PruneScans, AnAggregateInSeveralPlacesStaysOne) {
  const NodePointer groups = Node::GroupBy(Table("t"), {Number(0, "a")}, {});
  const NodePointer filter =
      Node::Filter(groups, Expression::Make(Operation::IsNotNull, kBoolean, {Number(0, "a")}));
  const NodePointer pruned = PruneScans(Node::Join(
      JoinKind::Semi, groups, filter, {{Number(0, "a"), Number(0, "a"), false}}, nullptr));
  EXPECT_EQ(pruned->Input(), pruned->Build()->Input());
  EXPECT_NE(pruned->Input(), groups);
}

TEST(PruneScans, UnionsKeepTheirColumns) {
  const NodePointer narrow = Node::Project(Table("t"), {Number(2, "c")});
  const NodePointer filtered =
      Node::Filter(Table("u"), Expression::Make(Operation::IsNotNull, kBoolean, {Number(1, "b")}));
  const NodePointer both = Node::Union(narrow, Node::Project(filtered, {Number(0, "a")}));
  EXPECT_EQ(Pruned(Node::GroupBy(both, {}, {{AggregateFunction::CountStar, nullptr, kBigint}})),
            "AGGREGATE groups=[] aggregates=[count(*)::BIGINT]\n"
            "  UNION\n"
            "    PROJECT [c]\n"
            "      SCAN t [c BIGINT]\n"
            "    PROJECT [a]\n"
            "      FILTER (b IS NOT NULL)\n"
            "        SCAN u [a BIGINT, b BIGINT]");
}

TEST(PruneScans, JoinsOfJoins) {
  const NodePointer inner = Node::Join(JoinKind::Inner, Table("one"), Table("two"),
                                       {{Number(0, "a"), Number(0, "a"), true}}, nullptr);
  const NodePointer outer = Node::Join(JoinKind::Inner, Table("three"), inner,
                                       {{Number(1, "b"), Number(5, {}), false}}, nullptr);
  EXPECT_EQ(Pruned(Node::GroupBy(outer, {Number(6, {})},
                                 {{AggregateFunction::Max, Number(10, {}), kBigint}})),
            "AGGREGATE groups=[#2] aggregates=[max(#5)::BIGINT]\n"
            "  JOIN INNER [b = #3]\n"
            "    SCAN three [b BIGINT]\n"
            "    JOIN INNER [a IS NOT DISTINCT FROM a]\n"
            "      SCAN one [a BIGINT, c BIGINT]\n"
            "      SCAN two [a BIGINT, b BIGINT, c BIGINT]");
}

}  // namespace
}  // namespace margay::optimize
