#include "schedule/queue_assignment.hpp"

#include <gtest/gtest.h>

#include <set>

#include "unit/optimize/made_up_tables.hpp"

namespace margay::schedule {
namespace {

using optimize::MadeUpTable;
using optimize::ScanOf;
using plan::JoinKind;
using plan::NodePointer;
using Queues = std::vector<size_t>;

MadeUpTable Table(const std::string& name, uint64_t rows) {
  return {name,
          rows,
          {{.name = name + "_k", .values = static_cast<Int128>(rows), .is_unique = true},
           {.name = name + "_v", .values = 100}}};
}

//! The rows of a table that a filter leaves, so that their join table is made by the query.
NodePointer Some(const MadeUpTable& table) {
  return optimize::Below(ScanOf(table), 1, 50);
}

NodePointer Joined(NodePointer probe, size_t column, NodePointer build) {
  return optimize::JoinOf(JoinKind::Inner, std::move(probe), column, std::move(build), 0);
}

Queues QueuesOf(const std::vector<MadeUpTable>& tables, const NodePointer& plan, size_t most) {
  return AssignQueues(
      *std::get<0>(optimize::LowerOver(tables, plan, {.shape = optimize::Shape::Lanes})), most);
}

class QueueAssignmentTest : public testing::Test {
 protected:
  const MadeUpTable fact_ = Table("fact", 1'000'000'000);
  const MadeUpTable a_ = Table("a", 1000), b_ = Table("b", 1000), c_ = Table("c", 1000);
};

TEST_F(QueueAssignmentTest, IndependentPipelinesRunSideBySide) {
  const NodePointer plan = optimize::Summed(
      Joined(Joined(Joined(ScanOf(fact_), 0, Some(a_)), 1, Some(b_)), 0, Some(c_)), 0);
  const Queues queues = QueuesOf({fact_, a_, b_, c_}, plan, 4);
  ASSERT_EQ(queues.size(), 4U);
  EXPECT_EQ((std::set<size_t>{queues[0], queues[1], queues[2]}), (std::set<size_t>{0, 1, 2}));
  EXPECT_LE(queues[3], 2U) << "it needs what they made, and goes on where one of them has run";
  EXPECT_EQ(QueuesOf({fact_, a_, b_, c_}, plan, 2), (Queues{0, 1, 0, 0}))
      << "the first queue ends last";
  EXPECT_EQ(QueuesOf({fact_, a_, b_, c_}, plan, 1), (Queues{0, 0, 0, 0}));
}

TEST_F(QueueAssignmentTest, AChainOfPipelinesStaysInOneQueue) {
  // Groups into a join table, whose matches are grouped into one more.
  const NodePointer groups = optimize::Counted(ScanOf(a_), {optimize::Column(1)});
  const NodePointer matches =
      optimize::Counted(Joined(ScanOf(b_), 1, groups), {optimize::Column(0)});
  const NodePointer plan = optimize::Summed(Joined(ScanOf(fact_), 0, matches), 0);
  const Queues queues = QueuesOf({fact_, a_, b_}, plan, 4);
  EXPECT_GE(queues.size(), 5U);
  EXPECT_EQ(queues, Queues(queues.size(), 0));
}

TEST_F(QueueAssignmentTest, PipelinesOfOneSinkRunOneAfterTheOther) {
  const NodePointer plan = optimize::Summed(plan::Node::Union(Some(a_), Some(b_)), 0);
  EXPECT_EQ(QueuesOf({a_, b_}, plan, 4), (Queues{0, 0}));
}

}  // namespace
}  // namespace margay::schedule
