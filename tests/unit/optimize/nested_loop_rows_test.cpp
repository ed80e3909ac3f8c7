#include "optimize/estimate/nested_loop_rows.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {
namespace {

using namespace plan;  // of which every line of these tests is made

NodePointer Table(const std::string& table) {
  return Node::Scan(table, {{0, "a", kBigint}});
}

NodePointer Join(JoinKind kind, NodePointer probe, NodePointer build) {
  return Node::Join(kind, std::move(probe), std::move(build), {}, nullptr);
}

NodePointer Counted(NodePointer input, std::vector<ExpressionPointer> groups) {
  return Node::GroupBy(std::move(input), std::move(groups),
                       {{AggregateFunction::CountStar, nullptr, kBigint}});
}

TEST(NestedLoopRows, OnlyJoinsWithoutKeysCount) {
  EXPECT_EQ(NestedLoopRows(*Table("t"), {7}), 0u);
  const NodePointer keyed =
      Node::Join(JoinKind::Inner, Table("t"), Table("u"), {{Number(0), Number(0), false}}, nullptr);
  EXPECT_EQ(NestedLoopRows(*keyed, {7, 9}), 0u);
}

TEST(NestedLoopRows, AreThoseOfTheSmallerOrTheBuildSide) {
  EXPECT_EQ(NestedLoopRows(*Join(JoinKind::Inner, Table("t"), Table("u")), {7, 9}), 7u);
  for (const JoinKind kind : {JoinKind::Left, JoinKind::Semi, JoinKind::Anti})
    EXPECT_EQ(NestedLoopRows(*Join(kind, Table("t"), Table("u")), {7, 9}), 9u);
}

TEST(NestedLoopRows, AnAggregateWithoutGroupsIsOneRow) {
  const NodePointer one = Counted(Table("u"), {});
  EXPECT_EQ(NestedLoopRows(*Join(JoinKind::Left, Table("t"), one), {7, 9}), 1u);
  const NodePointer groups = Counted(Table("u"), {Number(0)});
  EXPECT_EQ(NestedLoopRows(*Join(JoinKind::Left, Table("t"), groups), {7, 9}), 9u);
}

TEST(NestedLoopRows, OfSeveralJoinsTheLargestCounts) {
  const NodePointer inner = Join(JoinKind::Inner, Table("t"), Table("u"));
  const NodePointer outer = Join(JoinKind::Semi, Table("v"), inner);
  EXPECT_EQ(NestedLoopRows(*outer, {5, 7, 9}), 63u);
  EXPECT_EQ(NestedLoopRows(*outer, {5, UINT64_MAX, 9}), UINT64_MAX) << "more than can be counted";
}

}  // namespace
}  // namespace margay::optimize
