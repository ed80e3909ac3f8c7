#include "optimize/physical/stage_cut.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/plan/plan_builders.hpp"

namespace margay::optimize {

using namespace plan;  // NOLINT: tests of plans read like those of plan/
namespace {

NodePointer Table(const std::string& table) {
  return Node::Scan(table, {{10, "a", kBigint}, {11, "b", kBigint}});
}

//! Counts the rows of each group of column 0 of `input`, and adds up column 1.
NodePointer Grouped(NodePointer input) {
  return Node::GroupBy(std::move(input), {Number(0, "a")},
                       {{AggregateFunction::CountStar, nullptr, kBigint},
                        {AggregateFunction::Sum, Number(1, "b"), Type(TypeKind::Int128)}});
}

TEST(CutStages, APlanWithoutInnerAggregatesIsOne) {
  const NodePointer plan = Grouped(Table("t"));
  const StageCut stages = CutStage(plan);
  EXPECT_EQ(stages.plan->ToString(), plan->ToString());
  ASSERT_EQ(stages.inners.size(), 1u);
  EXPECT_EQ(stages.inners[0], nullptr);
}

TEST(CutStages, GroupsAreScannedByWhatComesAbove) {
  const NodePointer inner = Grouped(Table("t"));
  const NodePointer filter =
      Node::Filter(inner, Expression::Make(Operation::Less, kBoolean, {Number(0), Number(1)}));
  const StageCut stages = CutStage(Node::Project(filter, {Number(1)}));
  ASSERT_EQ(stages.inners.size(), 1u);
  EXPECT_EQ(stages.inners[0], inner);
  ASSERT_NE(stages.wanted[0], nullptr);
  EXPECT_EQ(stages.wanted[0]->ToString(), R"(("#0" < "#1"))");
  const std::vector<const Node*> scans = Scans(*stages.plan);
  ASSERT_EQ(scans.size(), 1u);
  ASSERT_EQ(scans[0]->Columns().size(), 2u) << "the sum is not read";
  EXPECT_EQ(scans[0]->Columns()[0].id, 0u);
  EXPECT_EQ(scans[0]->Columns()[1].id, 1u);
  EXPECT_EQ(stages.plan->OutputTypes(), std::vector<Type>{kBigint});
}

TEST(CutStages, UnionsAreCutOffWhereverTheyAre) {
  const NodePointer both = Node::Union(Table("t"), Table("u"));
  const StageCut alone = CutStage(both);
  EXPECT_EQ(alone.plan->ToString(), "SCAN the union [#0 BIGINT, #1 BIGINT]");
  EXPECT_EQ(alone.inners, std::vector<NodePointer>{both});
  const StageCut below = CutStage(Node::Project(both, {Number(1)}));
  EXPECT_EQ(below.inners, std::vector<NodePointer>{both});
  ASSERT_EQ(Scans(*below.plan)[0]->Columns().size(), 1u);
  EXPECT_EQ(Scans(*below.plan)[0]->Columns()[0].id, 1u);
}

TEST(CutStages, WantedIsWhatAllFiltersLeave) {
  const auto above = [](size_t column, int64_t value) {
    return Expression::Make(Operation::Greater, kBoolean,
                            {Number(column), Expression::Integer(value, kBigint)});
  };
  const NodePointer lower = Node::Filter(Grouped(Table("t")), above(0, 1));
  const NodePointer swapped = Node::Project(lower, {Number(1), Number(0)});
  const NodePointer upper = Node::Filter(swapped, above(0, 2));
  EXPECT_EQ(CutStage(upper).wanted[0]->ToString(), R"((("#0" > 1) AND ("#1" > 2)))");
  // What a join leaves out, it leaves out for a reason of its own.
  const NodePointer join = Node::Filter(
      Node::Join(JoinKind::Left, Table("u"), lower, {{Number(0, "a"), Number(0), false}}, nullptr),
      above(0, 3));
  const StageCut stages = CutStage(join);
  EXPECT_EQ(stages.wanted[0], nullptr);
  EXPECT_EQ(stages.wanted[1]->ToString(), R"(("#0" > 1))");
}

TEST(CutStages, OnlyTheTopmostAreCut) {
  const NodePointer lower = Grouped(Table("t"));
  const NodePointer middle =
      Node::GroupBy(lower, {Number(1)}, {{AggregateFunction::CountStar, nullptr, kBigint}});
  const StageCut stages = CutStage(Node::Join(JoinKind::Inner, Table("u"), middle,
                                              {{Number(0, "a"), Number(0), false}}, nullptr));
  ASSERT_EQ(stages.inners.size(), 2u);
  EXPECT_EQ(stages.inners[0], nullptr);
  EXPECT_EQ(stages.inners[1], middle);
  EXPECT_EQ(CutStage(middle).inners, std::vector<NodePointer>{lower});
}

}  // namespace
}  // namespace margay::optimize
