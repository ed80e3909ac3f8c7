// Where groups are made before joins, and what becomes of the plan.
#include "optimize/rewrite/eager_aggregation.hpp"

#include <gtest/gtest.h>

#include "integer_plans.hpp"

namespace margay::optimize {
namespace {

using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;

constexpr plan::TypeKind kBigint = plan::TypeKind::Int64;

//! A table of a unique column 0 and one that is not.
NodePointer Table(const std::string& name) {
  return Node::Scan(name, {{0, "id", kInteger}, {1, "other", kInteger}});
}

NodePointer Join(JoinKind kind, NodePointer probe, NodePointer build,
                 ExpressionPointer residual = nullptr) {
  return Node::Join(kind, std::move(probe), std::move(build), {{Column(0), Column(1)}},
                    std::move(residual));
}

//! Rows, and values of `argument`, per group.
NodePointer Counted(NodePointer input, ExpressionPointer group, ExpressionPointer argument) {
  return Node::GroupBy(std::move(input), {std::move(group)},
                       {{AggregateFunction::CountStar, nullptr, kBigint},
                        {AggregateFunction::Count, std::move(argument), kBigint}});
}

NodePointer Rewritten(const NodePointer& plan) {
  return AggregateEagerly(plan, [](size_t, uint64_t column) { return column == 0; });
}

TEST(EagerAggregation, TheBuildSideIsGroupedByItsKey) {
  const NodePointer join = Join(JoinKind::Left, Table("head"), Table("line"));
  const NodePointer plan = Rewritten(Counted(join, Column(0), Column(2)));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->OutputTypes(), (std::vector<plan::Type>{kInteger, kBigint, kBigint}));
  ASSERT_EQ(plan->Kind(), plan::NodeKind::Project);
  const Node& found = *plan->Input();
  ASSERT_EQ(found.Kind(), plan::NodeKind::Join);
  EXPECT_EQ(found.GetJoinKind(), JoinKind::Left);
  EXPECT_EQ(found.Input()->Table(), "head");
  const Node& groups = *found.Build();
  ASSERT_EQ(groups.Kind(), plan::NodeKind::Aggregate);
  ASSERT_EQ(groups.Expressions().size(), 1u);
  EXPECT_EQ(groups.Expressions()[0]->ColumnIndex(), 1u);
  EXPECT_EQ(groups.Aggregates()[1].argument->ColumnIndex(), 0u);
  EXPECT_EQ(groups.Input()->Table(), "line");
}

TEST(EagerAggregation, ProjectionsAndFiltersInBetweenAreSeenThrough) {
  const auto less = Expression::Make(Operation::Less, plan::TypeKind::Boolean,
                                     {Column(1), Expression::Integer(5, kInteger)});
  const NodePointer head = Node::Project(Node::Filter(Table("head"), less), {Column(0), Column(1)});
  const NodePointer join =
      Node::Project(Join(JoinKind::Left, head, Table("line")), {Column(3), Column(0)});
  EXPECT_NE(Rewritten(Counted(join, Column(1), Column(0))), nullptr);
}

TEST(EagerAggregation, OnlyWhereARowIsAGroup) {
  const auto left = Join(JoinKind::Left, Table("head"), Table("line"));
  EXPECT_EQ(Rewritten(Counted(left, Column(1), Column(2))), nullptr) << "not unique";
  EXPECT_EQ(Rewritten(Counted(left, Column(2), Column(2))), nullptr) << "of the build side";
  EXPECT_EQ(Rewritten(Counted(left, Column(0), Column(1))), nullptr) << "counts the probe side";
  const auto inner = Join(JoinKind::Inner, Table("head"), Table("line"));
  EXPECT_EQ(Rewritten(Counted(inner, Column(0), Column(2))), nullptr);
  const auto residual =
      Expression::Make(Operation::Less, plan::TypeKind::Boolean, {Column(1), Column(2)});
  const auto conditional = Join(JoinKind::Left, Table("head"), Table("line"), residual);
  EXPECT_EQ(Rewritten(Counted(conditional, Column(0), Column(2))), nullptr);
  const auto doubled = Join(JoinKind::Left, left, Table("line"));
  EXPECT_EQ(Rewritten(Counted(doubled, Column(0), Column(4))), nullptr) << "rows come twice";
  const auto computed = Expression::Make(Operation::Coalesce, kInteger,
                                         {Column(2), Expression::Integer(1, kInteger)});
  EXPECT_EQ(Rewritten(Counted(left, Column(0), computed)), nullptr) << "not NULL without a match";
}

TEST(EagerAggregation, ScansAreKnownByTheirPlaces) {
  const NodePointer lower =
      Counted(Join(JoinKind::Left, Table("head"), Table("line")), Column(0), Column(2));
  const NodePointer plan =
      Node::Join(JoinKind::Semi, Table("other"), lower, {{Column(0), Column(0)}}, nullptr);
  std::vector<size_t> asked;
  const NodePointer rewritten = AggregateEagerly(plan, [&](size_t scan, uint64_t) {
    asked.push_back(scan);
    return true;
  });
  EXPECT_EQ(asked, std::vector<size_t>{1});
  ASSERT_NE(rewritten, nullptr);
  std::vector<std::string> tables;
  for (const Node* scan : plan::Scans(*rewritten))
    tables.push_back(scan->Table());
  EXPECT_EQ(tables, (std::vector<std::string>{"other", "head", "line"}));
}

}  // namespace
}  // namespace margay::optimize
