// What lowering decides, as the text of programs.
#include "optimize/physical/program_outline.hpp"

#include <gtest/gtest.h>

#include "integer_plans.hpp"
#include "optimize/physical/lowering.hpp"
#include "storage/constants.hpp"

namespace margay::optimize {
namespace {

using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;

constexpr uint64_t kRows = 2 * storage::kSegmentRows;

//! Integers from 0 to `most`, each once if that is so for `rows` of them.
std::shared_ptr<const storage::ColumnForm> Form(uint64_t rows, uint64_t most) {
  storage::ColumnForm::Parts parts;
  parts.type = kInteger;
  parts.width = 4;
  parts.rows = parts.statistics.rows = rows;
  parts.statistics.max = static_cast<Int128>(most);
  parts.statistics.distinct_count = most + 1 == rows ? rows : 0;
  parts.segments.resize(storage::SegmentCount(rows));
  return std::make_shared<storage::ColumnForm>(parts);
}

//! A table with an unique `id` and a `k` of 100 values.
NodePointer Scan(const std::string& table) {
  return Node::Scan(table, {{0, table + "_id", kInteger}, {1, table + "_k", kInteger}});
}

std::shared_ptr<const Program> LowerPlan(const NodePointer& plan, Shape shape = Shape::Loop) {
  std::vector<ScanInput> inputs;
  for (const auto& scan : plan::Scans(*plan)) {
    ScanInput& input = inputs.emplace_back();
    input.rows = scan->Table() == "t" ? kRows : 1000;
    for (const plan::ScanColumn& column : scan->Columns()) {
      input.ids.push_back(column.id);
      input.columns.push_back({Form(input.rows, column.id == 0 ? input.rows - 1 : 99), nullptr});
    }
  }
  auto lowered = Lower(plan, inputs, {shape, {}});
  if (auto* refusal = std::get_if<plan::Refusal>(&lowered))
    throw std::runtime_error(refusal->reason);
  return std::get<0>(lowered);
}

std::string TextOf(const NodePointer& plan) {
  return OutlineOf(*LowerPlan(plan)).ToString();
}

//! Counts the rows of a join of `t` with the rows of `u` whose `k` is below `bound`, per `t_k`.
NodePointer JoinedGroups(int64_t bound) {
  const NodePointer build = Node::Filter(Scan("u"), Compare(Operation::Less, 1, bound));
  const NodePointer join =
      Node::Join(JoinKind::Inner, Scan("t"), build, {{Column(0), Column(0), false}}, nullptr);
  return Node::GroupBy(join, {Column(1)},
                       {{plan::AggregateFunction::CountStar, nullptr, plan::TypeKind::Int64}});
}

//! The larger table is looked up in: its key is unique, and few rows of the other one are left.
constexpr const char* kJoinedGroups = R"text(program shape=loop
  table name=t@0 scan=0 rows=131072
  table name=u@1 scan=1 rows=1000
  pipeline number=0 table=t@0 sink=0 estimated_rows=131072 bytes=524288
    column name=t_id type=INTEGER encoding=narrow width=4
    insert method=direct table=t@0 slots=131072 unique=yes slot="(long)(t_id - $0)"
      key value=t_id machine=int range=0..131071
    bind parameter=$0 machine=int word=0
    bind parameter=$1 machine=int word=131072
  pipeline number=1 table=u@1 sink=1 estimated_rows=65536 bytes=8000
    column name=u_id type=INTEGER encoding=narrow width=4
    column name=u_k type=INTEGER encoding=narrow width=4
    column name=t_k type=INTEGER encoding=narrow width=4
    filter value="(u_k < $0)" machine=int range=0..1
    probe sink=0 kind=INNER method=direct table=t@0 slots=131072 unique=yes slot="(long)(u_id - $1)"
      key value=u_id machine=int range=0..999
    fold groups=100 expected_groups=100 table=per_work_group words=1
      key type=INTEGER domain=0..99 value=t_k machine=int range=0..99
      accumulator fold=count word=0
    bind parameter=$0 machine=int word=50
    bind parameter=$1 machine=int word=0
    bind parameter=$2 machine=int word=131072
    bind parameter=$3 machine=int word=0
    bind parameter=$4 machine=long word=0
    lookups bytes=16
  sink number=0 kind="join build" pipelines=0
  sink number=1 kind="group table" pipelines=1 result=yes
)text";

TEST(ProgramOutline, TellsTablesPipelinesAndSinks) {
  EXPECT_EQ(TextOf(JoinedGroups(50)), kJoinedGroups);
}

TEST(ProgramOutline, IsReadBackAsItWas) {
  for (const Shape shape : {Shape::Loop, Shape::Lanes}) {
    const Outline outline = OutlineOf(*LowerPlan(JoinedGroups(50), shape));
    EXPECT_EQ(Outline::Read(outline.ToString()), outline);
  }
}

//! The text without what is bound.
std::string Decisions(const NodePointer& plan) {
  Outline outline = OutlineOf(*LowerPlan(plan));
  for (Outline& part : outline.parts)
    std::erase_if(part.parts, [](const Outline& inner) { return inner.name == "bind"; });
  return outline.ToString();
}

TEST(ProgramOutline, HasConstantsAsBindingsOnly) {
  const auto below = [](int64_t bound) {
    return Node::Filter(Scan("t"), Compare(Operation::Less, 0, bound));
  };
  EXPECT_NE(TextOf(below(50)), TextOf(below(51)));
  const Outline first = OutlineOf(*LowerPlan(below(50)));
  EXPECT_NE(first, OutlineOf(*LowerPlan(below(51))));
  EXPECT_EQ(first, OutlineOf(*LowerPlan(below(50))));
  EXPECT_NE(Decisions(below(50)), Decisions(Scan("t")));
}

TEST(ProgramOutline, OfAUnionHasSeveralPipelinesForOneSink) {
  const NodePointer rows = Node::Union(Scan("t"), Scan("u"));
  const NodePointer plan = Node::GroupBy(
      rows, {}, {{plan::AggregateFunction::CountStar, nullptr, plan::TypeKind::Int64}});
  const Outline outline = OutlineOf(*LowerPlan(plan));
  const auto sinks = outline.PartsNamed("sink");
  ASSERT_EQ(sinks.size(), 1u);
  EXPECT_EQ(*sinks[0]->Find("kind"), "single result");
  EXPECT_EQ(*sinks[0]->Find("pipelines"), "0,1");
  EXPECT_EQ(*sinks[0]->Find("result"), "yes");
}

}  // namespace
}  // namespace margay::optimize
