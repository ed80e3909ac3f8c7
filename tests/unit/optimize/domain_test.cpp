#include "optimize/rewrite/domain.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {
namespace {

using namespace plan;  // of which every line of these tests is made

ExpressionPointer Compare(Operation operation, size_t left, size_t right) {
  return Expression::Make(operation, kBoolean, {Number(left), Number(right)});
}

NodePointer Filtered(const std::string& table) {
  return Node::Filter(TwoNumbers(table), Compare(Operation::Less, 0, 1));
}

TEST(DomainOf, IsTheDifferentValues) {
  EXPECT_EQ(DomainOf(TwoNumbers("t"), {Number(1)})->ToString(),
            Node::GroupBy(TwoNumbers("t"), {Number(1)}, {})->ToString());
}

TEST(DomainOf, TakesASideOfAJoinThatHasThemAndFewRows) {
  const NodePointer join = Node::Join(JoinKind::Inner, TwoNumbers("t"), Filtered("u"),
                                      {{Number(0), Number(0), false}}, nullptr);
  EXPECT_EQ(DomainOf(join, {Number(3), Number(2)})->ToString(),
            Node::GroupBy(Filtered("u"), {Number(1), Number(0)}, {})->ToString());
  EXPECT_EQ(DomainOf(Node::Project(join, {Number(1), Number(3)}), {Number(1)})->ToString(),
            Node::GroupBy(Filtered("u"), {Number(1)}, {})->ToString());
  // All rows of the other side.
  EXPECT_EQ(DomainOf(join, {Number(1)})->ToString(),
            Node::GroupBy(join, {Number(1)}, {})->ToString());
  // Values of both sides.
  EXPECT_EQ(DomainOf(join, {Number(1), Number(3)})->ToString(),
            Node::GroupBy(join, {Number(1), Number(3)}, {})->ToString());
}

TEST(DomainOf, KeepsWhatOuterJoinsAdd) {
  const NodePointer join = Node::Join(JoinKind::Left, TwoNumbers("t"), Filtered("u"),
                                      {{Number(0), Number(0), false}}, nullptr);
  EXPECT_EQ(DomainOf(join, {Number(2)})->ToString(),
            Node::GroupBy(join, {Number(2)}, {})->ToString());
}

//! The outer rows t, and a sub-query that joins rows of u with the values of both columns of t.
class WithoutDomainTest : public testing::Test {
 protected:
  //! `residual` is over both columns of u, then those of the domain.
  NodePointer SubQuery(ExpressionPointer residual) const {
    return Node::Join(JoinKind::Inner, TwoNumbers("u"), domain_, {{Number(0), Number(0), false}},
                      std::move(residual));
  }

  //! The join with `sub_query`, whose columns `first` and `first` + 1 are the domain's.
  NodePointer Join(JoinKind kind, NodePointer sub_query, size_t first) const {
    return Node::Join(kind, outer_, std::move(sub_query),
                      {{Number(0), Number(first), true}, {Number(1), Number(first + 1), true}},
                      nullptr);
  }

  std::string Without(const NodePointer& join) const {
    return WithoutDomain(join, *domain_, values_)->ToString();
  }

  const NodePointer outer_ = TwoNumbers("t");
  const std::vector<ExpressionPointer> values_{Number(0), Number(1)};
  const NodePointer domain_ = DomainOf(outer_, values_);
};

TEST_F(WithoutDomainTest, RowsAreJoinedThemselves) {
  for (JoinKind kind : {JoinKind::Semi, JoinKind::Anti}) {
    const NodePointer join = Join(kind, SubQuery(Compare(Operation::NotEqual, 1, 3)), 2);
    EXPECT_EQ(Without(join),
              Node::Join(kind, outer_, TwoNumbers("u"), {{Number(0), Number(0), false}},
                         Compare(Operation::NotEqual, 3, 1))
                  ->ToString());
  }
}

TEST_F(WithoutDomainTest, FiltersAndProjectionsAreReadThrough) {
  const NodePointer filter = Node::Filter(SubQuery(nullptr), Compare(Operation::Less, 1, 3));
  const NodePointer join = Join(JoinKind::Semi, Node::Project(filter, {Number(2), Number(3)}), 0);
  EXPECT_EQ(Without(join),
            Node::Join(JoinKind::Semi, outer_, TwoNumbers("u"), {{Number(0), Number(0), false}},
                       Compare(Operation::Less, 3, 1))
                ->ToString());
}

TEST_F(WithoutDomainTest, WhatEqualsAValueStandsForIt) {
  const NodePointer join =
      Node::Join(JoinKind::Semi, outer_, SubQuery(nullptr),
                 {{Number(0), Number(0), false}, {Number(1), Number(3), true}}, nullptr);
  EXPECT_EQ(Without(join), Node::Join(JoinKind::Semi, outer_, TwoNumbers("u"),
                                      {{Number(0), Number(0), false}}, nullptr)
                               ->ToString());
}

TEST_F(WithoutDomainTest, OtherConditionsOfTheJoinAreKept) {
  const NodePointer join = Node::Join(
      JoinKind::Anti, outer_, SubQuery(nullptr),
      {{Number(0), Number(2), true}, {Number(1), Number(3), true}, {Number(1), Number(1), false}},
      Compare(Operation::Less, 0, 3));
  EXPECT_EQ(Without(join),
            Node::Join(JoinKind::Anti, outer_, TwoNumbers("u"),
                       {{Number(0), Number(0), false}, {Number(1), Number(1), false}},
                       Compare(Operation::Less, 0, 3))
                ->ToString());
}

TEST_F(WithoutDomainTest, ElsewhereTheDomainStays) {
  // Not all values are compared.
  const NodePointer some = Node::Join(JoinKind::Semi, outer_, SubQuery(nullptr),
                                      {{Number(0), Number(2), true}}, nullptr);
  EXPECT_EQ(Without(some), some->ToString());
  // NULLs of the outer rows match nothing, but are values of the domain.
  const NodePointer equal =
      Node::Join(JoinKind::Anti, outer_, SubQuery(nullptr),
                 {{Number(0), Number(2), false}, {Number(1), Number(3), false}}, nullptr);
  EXPECT_EQ(Without(equal), equal->ToString());
  // Groups.
  const NodePointer groups =
      Join(JoinKind::Semi, Node::GroupBy(SubQuery(nullptr), {Number(2), Number(3)}, {}), 0);
  EXPECT_EQ(Without(groups), groups->ToString());
  // Rows that a join gives more than once.
  const NodePointer inner = Join(JoinKind::Inner, SubQuery(nullptr), 2);
  EXPECT_EQ(Without(inner), inner->ToString());
}

TEST(IsNeverNull, KeysOfJoinsAndFilters) {
  const NodePointer join = Node::Join(JoinKind::Inner, TwoNumbers("t"), TwoNumbers("u"),
                                      {{Number(0), Number(1), false}}, nullptr);
  for (size_t column = 0; column < 4; column++) {
    EXPECT_EQ(IsNeverNull(*Number(column), *join), column == 0 || column == 3) << column;
  }
  const NodePointer left = Node::Join(JoinKind::Left, TwoNumbers("t"), TwoNumbers("u"),
                                      {{Number(0), Number(1), false}}, nullptr);
  EXPECT_FALSE(IsNeverNull(*Number(0), *left));
  EXPECT_FALSE(IsNeverNull(*Number(3), *left));
  const NodePointer with_nulls = Node::Join(JoinKind::Inner, TwoNumbers("t"), TwoNumbers("u"),
                                            {{Number(0), Number(1), true}}, nullptr);
  EXPECT_FALSE(IsNeverNull(*Number(0), *with_nulls));

  const NodePointer filter =
      Node::Filter(TwoNumbers("t"), Expression::Make(Operation::IsNotNull, kBoolean, {Number(1)}));
  const NodePointer groups = Node::GroupBy(filter, {Number(1), Number(0)},
                                           {{AggregateFunction::Max, Number(1), kBigint},
                                            {AggregateFunction::Max, Number(0), kBigint},
                                            {AggregateFunction::Count, Number(0), kBigint}});
  for (size_t column = 0; column < 5; column++) {
    EXPECT_EQ(IsNeverNull(*Number(column), *groups), column % 2 == 0) << column;
  }
}

TEST(IsNeverNull, AggregatesOfNoGroupMayHaveNoRows) {
  const NodePointer filter =
      Node::Filter(TwoNumbers("t"), Expression::Make(Operation::IsNotNull, kBoolean, {Number(1)}));
  const NodePointer all = Node::GroupBy(filter, {},
                                        {{AggregateFunction::Max, Number(1), kBigint},
                                         {AggregateFunction::CountStar, nullptr, kBigint}});
  EXPECT_FALSE(IsNeverNull(*Number(0), *all));
  EXPECT_TRUE(IsNeverNull(*Number(1), *all));
}

TEST(IsNeverNull, NumbersOfRowsUnlessAJoinFindsNone) {
  const NodePointer numbered = Node::Project(
      TwoNumbers("u"), {Expression::Make(Operation::RowNumber, kBigint, {Number(0)}), Number(0)});
  EXPECT_TRUE(IsNeverNull(*Number(0), *numbered));
  const NodePointer left = Node::Join(JoinKind::Left, TwoNumbers("t"), numbered,
                                      {{Number(0), Number(1), false}}, nullptr);
  EXPECT_FALSE(IsNeverNull(*Number(2), *left));
  const NodePointer above =
      Node::Project(left, {Expression::Make(Operation::RowNumber, kBigint, {Number(3)})});
  EXPECT_FALSE(IsNeverNull(*Number(0), *above));
}

}  // namespace
}  // namespace margay::optimize
