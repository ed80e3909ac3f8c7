#include "optimize/rewrite/first_rows.hpp"

#include <gtest/gtest.h>

#include <string>

#include "optimize/rewrite/repeated_rows.hpp"
#include "optimize/rewrite/row_numbers.hpp"
#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {
namespace {

using namespace plan;  // of which every line of these tests is made

ExpressionPointer RowNumber(size_t column) {
  return Expression::Make(Operation::RowNumber, kBigint, {Number(column)});
}

NodePointer Numbered(const std::string& table) {
  return Node::Project(TwoNumbers(table), {Number(0), Number(1), RowNumber(0)});
}

NodePointer Least(const NodePointer& rows, std::vector<ExpressionPointer> groups, size_t column) {
  return Node::GroupBy(rows, std::move(groups),
                       {{AggregateFunction::Min, Number(column), kBigint}});
}

TEST(NumberRows, FollowsOneTable) {
  const ExpressionPointer less =
      Expression::Make(Operation::Less, kBoolean, {Number(0), Number(1)});
  EXPECT_EQ(NumberRows(Node::Filter(TwoNumbers("t"), less))->ToString(),
            Node::Filter(Numbered("t"), less)->ToString());
  // The residual reads columns of the build side, which are one further on.
  const ExpressionPointer unequal =
      Expression::Make(Operation::NotEqual, kBoolean, {Number(1), Number(3)});
  const NodePointer semi = Node::Join(JoinKind::Semi, TwoNumbers("t"), TwoNumbers("u"),
                                      {{Number(0), Number(0), false}}, unequal);
  EXPECT_EQ(
      NumberRows(semi)->ToString(),
      Node::Join(JoinKind::Semi, Numbered("t"), TwoNumbers("u"), {{Number(0), Number(0), false}},
                 Expression::Make(Operation::NotEqual, kBoolean, {Number(1), Number(4)}))
          ->ToString());
}

TEST(NumberRows, KeepsWhatIsReadOfJoins) {
  const NodePointer join = Node::Join(JoinKind::Left, TwoNumbers("t"), TwoNumbers("u"),
                                      {{Number(0), Number(0), false}}, nullptr);
  EXPECT_EQ(NumberRows(Node::Project(join, {Number(3), Number(1), Number(3)}))->ToString(),
            Node::Project(Node::Project(Node::Keep(Node::Project(join, {Number(3), Number(1)})),
                                        {Number(0), Number(1), RowNumber(0)}),
                          {Number(0), Number(1), Number(0), Number(2)})
                ->ToString());
}

TEST(FirstRows, AnyRowIsTheOneWithTheLeastNumber) {
  const NodePointer rows = Numbered("t");
  const NodePointer groups = Least(rows, {Number(1)}, 2);
  EXPECT_EQ(FirstRows(TwoNumbers("t"), {Number(1)}, {})->ToString(),
            Node::Project(
                Node::Join(JoinKind::Semi, rows, groups, {{Number(2), Number(1), false}}, nullptr),
                {Number(0), Number(1)})
                ->ToString());
}

TEST(FirstRows, FindsOneKeyOfTheOrderAfterTheOther) {
  const NodePointer rows = Numbered("t");
  const NodePointer greatest =
      Node::GroupBy(rows, {Number(1)}, {{AggregateFunction::Max, Number(0), kBigint}});
  const NodePointer left =
      Node::Join(JoinKind::Semi, rows, greatest,
                 {{Number(1), Number(0), true}, {Number(0), Number(1), true}}, nullptr);
  const NodePointer groups = Least(left, {Number(1), Number(0)}, 2);
  // The key of the groups tells no rows of a group apart.
  EXPECT_EQ(
      FirstRows(TwoNumbers("t"), {Number(1)}, {{Number(1), false, true}, {Number(0), true, false}})
          ->ToString(),
      Node::Project(
          Node::Join(JoinKind::Semi, rows, groups, {{Number(2), Number(2), false}}, nullptr),
          {Number(0), Number(1)})
          ->ToString());
}

TEST(FirstRows, NullsThatComeFirstAreAKeyOfTheirOwn) {
  const std::string text =
      FirstRows(TwoNumbers("t"), {Number(1)}, {{Number(0), false, true}})->ToString();
  EXPECT_NE(text.find("min(CASE WHEN (#0 IS NULL) THEN 0 ELSE 1 END)"), std::string::npos) << text;
}

TEST(RepeatRows, JoinsTheDifferentCountsWithSmallerNumbers) {
  const NodePointer counted = Node::GroupBy(TwoNumbers("t"), {Number(0)},
                                            {{AggregateFunction::CountStar, nullptr, kBigint}});
  const ExpressionPointer zero = Expression::Integer(0, kInteger);
  const NodePointer copies =
      Node::Join(JoinKind::Inner, Node::Project(Numbered("t"), {Number(2)}),
                 Node::GroupBy(counted, {Number(1)}, {}), {{zero, zero, false}},
                 Expression::Make(Operation::Less, kBoolean, {Number(0), Number(1)}));
  EXPECT_EQ(RepeatRows(counted, 1, Node::Filter(TwoNumbers("t"), Truth(true)))->ToString(),
            Node::Project(Node::Join(JoinKind::Inner, counted, copies,
                                     {{Number(1), Number(1), false}}, nullptr),
                          {Number(0)})
                ->ToString());
}

}  // namespace
}  // namespace margay::optimize
