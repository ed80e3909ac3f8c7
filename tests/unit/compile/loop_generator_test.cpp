// How the loop shape walks rows: one by one, in tiles, or through stages.
#include "compile/loop_generator.hpp"

#include <gtest/gtest.h>

#include "optimize/physical/lowering.hpp"
#include "unit/optimize/integer_plans.hpp"

namespace margay::compile {
namespace {

using optimize::Column;
using optimize::Compare;
using optimize::kInteger;
using plan::Node;
using plan::NodePointer;

//! A table with column 0 of `most` values, 1 of 10, and 2 of many.
std::string SourceOf(const NodePointer& plan, int64_t most) {
  optimize::ScanInput input{100'000, {0, 1, 2}, {}};
  for (const int64_t max : {most, int64_t{9}, int64_t{1'000'000}}) {
    storage::ColumnForm::Parts parts;
    parts.type = kInteger;
    parts.width = 4;
    parts.rows = parts.statistics.rows = input.rows;
    parts.statistics.max = max;
    input.columns.push_back({std::make_shared<storage::ColumnForm>(std::move(parts)), nullptr});
  }
  auto lowered = optimize::Lower(plan, {input}, {optimize::Shape::Loop});
  return WriteKernel(*std::get<0>(lowered)->pipelines.back().lowered).program.Text();
}

NodePointer Filtered() {
  return Node::Filter(Node::Scan("t", {{0, "a", kInteger}, {1, "b", kInteger}, {2, "c", kInteger}}),
                      Compare(plan::Operation::Less, 1, 3));
}

NodePointer Sums(NodePointer input, std::vector<plan::ExpressionPointer> groups) {
  return Node::GroupBy(std::move(input), std::move(groups),
                       {{plan::AggregateFunction::Sum, Column(2), plan::TypeKind::Int128}});
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(LoopGenerator, OneResultIsFoldedRowByRow) {
  const std::string source = SourceOf(Sums(Filtered(), {}), 5);
  EXPECT_FALSE(Holds(source, "staged_row"));
  EXPECT_FALSE(Holds(source, "TILE_ROWS"));
}

TEST(LoopGenerator, FewGroupsAreFilledInTiles) {
  EXPECT_TRUE(Holds(SourceOf(Sums(Filtered(), {Column(0)}), 5), "TILE_ROWS"));
}

TEST(LoopGenerator, RowsOfManyGroupsAreStagedBehindFilters) {
  EXPECT_TRUE(Holds(SourceOf(Sums(Filtered(), {Column(0)}), 5'000), "staged_row"));
  EXPECT_FALSE(Holds(SourceOf(Sums(Filtered()->Input(), {Column(0)}), 5'000), "staged_row"))
      << "without a filter all rows pass";
}

}  // namespace
}  // namespace margay::compile
