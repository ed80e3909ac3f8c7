#include "optimize/rewrite/partitions.hpp"

#include <gtest/gtest.h>

#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {
namespace {

using namespace plan;  // of which every line of these tests is made

std::optional<ValueBounds> Hundred(size_t /*scan*/, size_t /*column*/) {
  return ValueBounds{0, 99};
}

ExpressionPointer Compare(Operation operation, ExpressionPointer value, int64_t bound) {
  return Expression::Make(operation, kBoolean,
                          {std::move(value), Expression::Integer(bound, kBigint)});
}

//! Values below 50, and NULL.
ExpressionPointer Low(const ExpressionPointer& value) {
  return Expression::Make(Operation::Or, kBoolean,
                          {Compare(Operation::Less, value, 50),
                           Expression::Make(Operation::IsNull, kBoolean, {value})});
}

ExpressionPointer High(const ExpressionPointer& value) {
  return Compare(Operation::GreaterOrEqual, value, 50);
}

Aggregate Of(AggregateFunction function, ExpressionPointer argument, Type type) {
  return {function, std::move(argument), type};
}

NodePointer JoinOf(JoinKind kind, NodePointer probe, NodePointer build) {
  return Node::Join(kind, std::move(probe), std::move(build), {{Number(0), Number(1), false}},
                    nullptr);
}

TEST(Partitions, GroupsByTheirKeys) {
  const NodePointer table = TwoNumbers("t");
  const std::vector<Aggregate> average{Of(AggregateFunction::Average, Number(0), kDouble)};
  const NodePointer groups = Node::GroupBy(table, {Number(1)}, average);
  const NodePointer having = Node::Filter(groups, Compare(Operation::Less, Number(0), 7));
  const auto parted = Partition(Node::Project(having, {Number(0)}), {1000}, Hundred, 2);
  ASSERT_TRUE(parted);
  EXPECT_EQ(parted->key, "t_b");
  EXPECT_EQ(parted->partitions, 2U);
  EXPECT_EQ(parted->scans, (std::vector<size_t>{0, 0}));
  const auto part = [&](const ExpressionPointer& range) {
    return Node::Filter(Node::GroupBy(Node::Filter(table, range), {Number(1)}, average),
                        Compare(Operation::Less, Number(0), 7));
  };
  // Groups that are left out again are not put together.
  EXPECT_EQ(parted->plan->ToString(),
            Node::Project(Node::Union(part(Low(Number(1, "t_b"))), part(High(Number(1, "t_b")))),
                          {Number(0)})
                ->ToString());
}

TEST(Partitions, JoinsBelowGroupsByOtherKeysTakeTwoSteps) {
  const NodePointer probe = TwoNumbers("p"), build = TwoNumbers("b");
  for (const JoinKind kind : {JoinKind::Inner, JoinKind::Left, JoinKind::Semi, JoinKind::Anti}) {
    const std::vector<Aggregate> aggregates{
        Of(AggregateFunction::CountStar, nullptr, kBigint),
        Of(AggregateFunction::Count, Number(0), kBigint),
        Of(AggregateFunction::Sum, Number(0), kHugeint),
        Of(AggregateFunction::Min, Number(1), kBigint),
    };
    const NodePointer plan = Node::GroupBy(
        JoinOf(kind, probe, build),
        {Expression::Make(Operation::Add, kBigint, {Number(1), Number(1)})}, aggregates);
    const auto parted = Partition(plan, {1000, 1000}, Hundred, 2);
    ASSERT_TRUE(parted);
    EXPECT_EQ(parted->key, "p_a");
    EXPECT_EQ(parted->scans, (std::vector<size_t>{0, 1, 0, 1}));
    const auto part = [&](auto range) {
      return Node::GroupBy(JoinOf(kind, Node::Filter(probe, range(Number(0, "p_a"))),
                                  Node::Keep(Node::Filter(build, range(Number(1, "b_b"))))),
                           plan->Expressions(), aggregates);
    };
    EXPECT_EQ(
        parted->plan->ToString(),
        Node::GroupBy(Node::Union(part(Low), part(High)), {Number(0)},
                      {Of(AggregateFunction::Sum, Number(1), kBigint),
                       Of(AggregateFunction::Sum, Number(2), kBigint),
                       Of(AggregateFunction::Sum, Expression::Column(3, kHugeint, {}), kHugeint),
                       Of(AggregateFunction::Min, Number(4), kBigint)})
            ->ToString());
  }
}

TEST(Partitions, LargestTablesDecide) {
  // By p_a the small table gets smaller, by p_b the large one.
  const NodePointer probe = TwoNumbers("p"), small = TwoNumbers("s"), large = TwoNumbers("l");
  const NodePointer plan =
      Node::Join(JoinKind::Semi,
                 Node::Join(JoinKind::Semi, probe, small, {{Number(0), Number(0), false}}, nullptr),
                 large, {{Number(1), Number(0), false}}, nullptr);
  EXPECT_EQ(Partition(plan, {1000, 10, 900}, Hundred, 4)->key, "p_b");
  EXPECT_EQ(Partition(plan, {1000, 900, 10}, Hundred, 4)->key, "p_a");
}

TEST(Partitions, RangesGoThroughGroupsOfBuildSides) {
  const NodePointer probe = TwoNumbers("p"), table = TwoNumbers("t");
  const NodePointer groups =
      Node::GroupBy(table, {Number(0)}, {Of(AggregateFunction::Max, Number(1), kBigint)});
  const auto parted = Partition(
      Node::Join(JoinKind::Inner, probe, groups, {{Number(0), Number(0), false}}, nullptr),
      {1000, 1000}, Hundred, 2);
  ASSERT_TRUE(parted);
  const auto part = [&](auto range) {
    return Node::Join(JoinKind::Inner, Node::Filter(probe, range(Number(0, "p_a"))),
                      Node::GroupBy(Node::Filter(table, range(Number(0, "t_a"))), {Number(0)},
                                    groups->Aggregates()),
                      {{Number(0), Number(0), false}}, nullptr);
  };
  EXPECT_EQ(parted->plan->ToString(), Node::Union(part(Low), part(High))->ToString());
}

TEST(Partitions, CompressedIntegersArePartedByWhatTheyComeFrom) {
  const Type small = TypeKind::UInt8;
  const auto compress = [&](const ExpressionPointer& value) {
    return Expression::Make(Operation::Cast, small,
                            {Expression::Make(Operation::Subtract, kBigint,
                                              {value, Expression::Integer(20, kBigint)})});
  };
  const NodePointer probe = TwoNumbers("p"), build = TwoNumbers("b");
  // Groups by a compressed column, which is joined with as it is.
  const NodePointer join =
      Node::Join(JoinKind::Inner, probe, build, {{Number(0), Number(0), false}}, nullptr);
  const NodePointer project = Node::Project(join, {compress(Number(0))});
  const auto parted = Partition(Node::GroupBy(project, {Expression::Column(0, small, {})}, {}),
                                {1000, 1000}, Hundred, 2);
  ASSERT_TRUE(parted);
  EXPECT_EQ(parted->key, "p_a");
  const auto part = [&](auto range) {
    const NodePointer rows =
        Node::Join(JoinKind::Inner, Node::Filter(probe, range(Number(0, "p_a"))),
                   Node::Keep(Node::Filter(build, range(Number(0, "b_a")))),
                   {{Number(0), Number(0), false}}, nullptr);
    return Node::GroupBy(Node::Project(rows, project->Expressions()),
                         {Expression::Column(0, small, {})}, {});
  };
  EXPECT_EQ(parted->plan->ToString(), Node::Union(part(Low), part(High))->ToString());

  // The other side has the compressed values.
  const NodePointer stored = Node::Scan("s", {{0, "s_a", small}});
  const auto joined = Partition(
      Node::Join(JoinKind::Semi, probe, stored,
                 {{compress(Number(0)), Expression::Column(0, small, {}), false}}, nullptr),
      {1000, 1000}, Hundred, 2);
  ASSERT_TRUE(joined);
  const NodePointer second = UnionInputs(joined->plan)[1];
  EXPECT_EQ(second->Input()->ToString(), Node::Filter(probe, High(Number(0, "p_a")))->ToString());
  EXPECT_EQ(second->Build()->Input()->Predicate()->ToString(),
            Expression::Make(Operation::GreaterOrEqual, kBoolean,
                             {Expression::Column(0, small, "s_a"), Expression::Integer(30, small)})
                ->ToString());
}

TEST(Partitions, NoMoreThanValues) {
  const NodePointer groups = Node::GroupBy(TwoNumbers("t"), {Number(0)}, {});
  const auto three = [](size_t, size_t) { return std::optional(ValueBounds{7, 9}); };
  const auto parted = Partition(groups, {1000}, three, 64);
  ASSERT_TRUE(parted);
  EXPECT_EQ(parted->partitions, 3U);
  EXPECT_EQ(UnionInputs(parted->plan).size(), 3U);
}

TEST(Partitions, NoneWithoutAKey) {
  const NodePointer table = TwoNumbers("t");
  const auto unknown = [](size_t, size_t) { return std::optional<ValueBounds>(); };
  const auto one_value = [](size_t, size_t) { return std::optional(ValueBounds{7, 7}); };
  const NodePointer groups = Node::GroupBy(table, {Number(0)}, {});
  EXPECT_FALSE(Partition(groups, {1000}, unknown, 4));
  EXPECT_FALSE(Partition(groups, {1000}, one_value, 4));
  EXPECT_FALSE(Partition(groups, {1000}, Hundred, 1));
  EXPECT_FALSE(Partition(Node::Filter(table, High(Number(0))), {1000}, Hundred, 4));
  // An average can't be put together of two, and no group key is a column.
  const NodePointer join = JoinOf(JoinKind::Inner, table, TwoNumbers("u"));
  EXPECT_FALSE(
      Partition(Node::GroupBy(join, {}, {Of(AggregateFunction::Average, Number(1), kDouble)}),
                {1000, 1000}, Hundred, 4));
  const NodePointer texts = Node::Scan("t", {{0, "s", kVarchar}});
  EXPECT_FALSE(Partition(Node::GroupBy(texts, {Expression::Column(0, kVarchar, "s")}, {}), {1000},
                         Hundred, 4));
  // Rows of partitions have other numbers.
  EXPECT_FALSE(Partition(
      Node::GroupBy(table, {Number(0)},
                    {Of(AggregateFunction::Min,
                        Expression::Make(Operation::RowNumber, kBigint, {Number(0)}), kBigint)}),
      {1000}, Hundred, 4));
}

TEST(Partitions, WhatIsReadTwiceStaysOne) {
  const NodePointer table = TwoNumbers("t"), other = TwoNumbers("u");
  const NodePointer shared = Node::GroupBy(other, {Number(1)}, {});
  const NodePointer plan = Node::GroupBy(
      Node::Join(
          JoinKind::Semi,
          Node::Join(JoinKind::Semi, table, shared, {{Number(0), Number(0), false}}, nullptr),
          shared, {{Number(0), Number(0), false}}, nullptr),
      {Number(1)}, {Of(AggregateFunction::Average, Number(0), kDouble)});
  const auto parted = Partition(plan, {1000, 1000, 1000}, Hundred, 2);
  ASSERT_TRUE(parted);
  EXPECT_EQ(parted->key, "t_b");
  // No part of it is parted by that key.
  for (const NodePointer& part : UnionInputs(parted->plan)) {
    EXPECT_EQ(part->Input()->Build(), shared);
    EXPECT_EQ(part->Input()->Input()->Build(), shared);
  }
}

}  // namespace
}  // namespace margay::optimize
