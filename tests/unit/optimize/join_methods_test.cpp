// Which method a join has, and when the host may leave out segments by the keys of a build side.
#include <gtest/gtest.h>

#include "integer_plans.hpp"
#include "optimize/physical/lowering.hpp"
#include "storage/constants.hpp"

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;

//! A column of integers from 0 to `max`; with more rows than a segment holds it has segments.
std::shared_ptr<const storage::ColumnForm> Form(uint64_t rows, int64_t max, bool is_unique) {
  storage::ColumnForm::Parts parts;
  parts.type = kInteger;
  parts.width = 4;
  parts.rows = parts.statistics.rows = rows;
  parts.statistics.max = max;
  parts.statistics.distinct_count = is_unique ? rows : 0;
  parts.segments.resize(storage::SegmentCount(rows));
  return std::make_shared<storage::ColumnForm>(parts);
}

//! Both tables have `id`, unique from 0 on, a `k` of 100 values, and `far`, unique and sparse.
constexpr int64_t kFar = 2'000'000'000;

NodePointer Scan(const std::string& table) {
  return Node::Scan(table, {{0, "id", kInteger}, {1, "k", kInteger}, {2, "far", kInteger}});
}
NodePointer Below(NodePointer input, size_t column, int64_t bound) {
  return Node::Filter(std::move(input), Compare(Operation::Less, column, bound));
}
//! Counts the rows of a join, which may read column `read` of both inputs.
NodePointer Counted(NodePointer join, std::optional<size_t> read = {}) {
  plan::Aggregate aggregate{plan::AggregateFunction::CountStar, nullptr, plan::TypeKind::Int64};
  if (read)
    aggregate = {plan::AggregateFunction::Count, Column(*read), plan::TypeKind::Int64};
  return Node::GroupBy(std::move(join), {}, {aggregate});
}

std::shared_ptr<const Program> LowerPlan(const NodePointer& plan, uint64_t probe_rows,
                                         uint64_t build_rows,
                                         std::optional<JoinMethod> method = {}) {
  std::vector<ScanInput> inputs;
  for (const auto& scan : plan::Scans(*plan)) {
    ScanInput& input = inputs.emplace_back();
    input.rows = inputs.size() == 1 ? probe_rows : build_rows;
    for (const plan::ScanColumn& column : scan->Columns()) {
      const auto most = static_cast<int64_t>(input.rows) - 1;
      input.ids.push_back(column.id);
      input.columns.push_back({Form(input.rows,
                                    column.id == 0   ? most
                                    : column.id == 1 ? 99
                                                     : kFar,
                                    column.id != 1),
                               nullptr});
    }
  }
  auto lowered = Lower(plan, inputs, {Shape::Loop, method});
  if (auto* refusal = std::get_if<plan::Refusal>(&lowered))
    throw std::runtime_error(refusal->reason);
  return std::get<0>(lowered);
}

const JoinTable& FirstTable(const Program& program) {
  return std::get<JoinBuildSink>(program.pipelines[0].lowered->sink).table;
}

JoinMethod MethodOf(const NodePointer& plan, std::optional<JoinMethod> method = {}) {
  return FirstTable(*LowerPlan(plan, 2000, 1000, method)).Method();
}

NodePointer Join(JoinKind kind, size_t column, NodePointer build = Scan("u")) {
  return Node::Join(kind, Scan("t"), std::move(build), {{Column(column), Column(column), false}},
                    nullptr);
}

TEST(JoinMethod, FollowsFromWhatIsNeeded) {
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Inner, 0), 4)), JoinMethod::Direct);
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Inner, 2), 4)), JoinMethod::Hash);
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Left, 0))), JoinMethod::Direct);
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Inner, 0))), JoinMethod::Bitmap) << "unique keys";
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Inner, 1))), JoinMethod::Direct) << "matches count";
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Semi, 1))), JoinMethod::Bitmap);
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Anti, 0))), JoinMethod::Bitmap);
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Semi, 2))), JoinMethod::Hash) << "too many bits";
  EXPECT_EQ(MethodOf(Counted(Node::Join(JoinKind::Inner, Scan("t"), Scan("u"), {}, nullptr))),
            JoinMethod::NestedLoop);
}

TEST(JoinMethod, IsForcedWhereItCanServe) {
  for (const JoinMethod method : {JoinMethod::Direct, JoinMethod::Hash, JoinMethod::PartitionedHash,
                                  JoinMethod::NestedLoop}) {
    EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Inner, 0), 4), method), method);
    EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Semi, 0)), method), method);
  }
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Semi, 2)), JoinMethod::Bitmap), JoinMethod::Bitmap);
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Inner, 0), 4), JoinMethod::Bitmap), JoinMethod::Direct);
  EXPECT_EQ(MethodOf(Counted(Join(JoinKind::Inner, 2), 4), JoinMethod::Direct), JoinMethod::Hash);
}

TEST(JoinMethod, ANestedLoopOverTooManyRowsIsRefused) {
  const auto plan = Counted(Node::Join(JoinKind::Left, Scan("t"), Scan("u"), {}, nullptr));
  EXPECT_NO_THROW(LowerPlan(plan, 10, 1 << 26));
  EXPECT_THROW(LowerPlan(plan, 10, (1 << 26) + 1), std::runtime_error);
}

TEST(RangedKeys, AreOfFilteredBuildSidesOfLargeScans) {
  constexpr uint64_t kMany = 3 * storage::kSegmentRows;
  const auto is_ranged = [&](const NodePointer& plan, uint64_t rows) {
    const auto program = LowerPlan(plan, rows, 20'000);
    const auto& ranged_joins = program->pipelines.back().lowered->ranged_joins;
    EXPECT_EQ(ranged_joins.size(), FirstTable(*program).ranged_key ? 1u : 0u);
    return !ranged_joins.empty();
  };
  const auto build = [] { return Below(Scan("u"), 1, 50); };
  EXPECT_TRUE(is_ranged(Counted(Join(JoinKind::Inner, 0, build()), 4), kMany));
  EXPECT_TRUE(is_ranged(Counted(Join(JoinKind::Semi, 2, build())), kMany));
  EXPECT_FALSE(is_ranged(Counted(Join(JoinKind::Inner, 0, build()), 4), 1000)) << "one segment";
  EXPECT_FALSE(is_ranged(Counted(Join(JoinKind::Left, 0, build())), kMany));
  EXPECT_FALSE(is_ranged(Counted(Join(JoinKind::Anti, 0, build())), kMany));
}

TEST(RangedKeys, LeaveErrorsBeforeTheJoinToBeMet) {
  constexpr uint64_t kMany = 3 * storage::kSegmentRows;
  const auto sum = Expression::Make(Operation::Add, kInteger,
                                    {Column(1), Expression::Integer(INT32_MAX, kInteger)});
  const auto may_fail = Expression::Make(Operation::Less, plan::TypeKind::Boolean,
                                         {sum, Expression::Integer(5, kInteger)});
  const auto plan = Counted(Node::Join(JoinKind::Semi, Node::Filter(Scan("t"), may_fail),
                                       Below(Scan("u"), 1, 50), {{Column(0), Column(0)}}, nullptr));
  EXPECT_TRUE(LowerPlan(plan, kMany, 1000)->pipelines.back().lowered->ranged_joins.empty());
}

}  // namespace
}  // namespace margay::optimize
