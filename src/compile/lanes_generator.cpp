#include "compile/lanes_generator.hpp"

#include "compile/sink/group_table.hpp"
#include "compile/sink/join_build.hpp"
#include "compile/sink/lanes_groups.hpp"
#include "compile/sink/rows.hpp"
#include "compile/sink/single_result.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

namespace {

constexpr uint32_t kMostLanes = 256;

//! Rows that a lane loads at once, so that narrow columns are read in words of 4 bytes and more.
constexpr int kQuad = 4;

//! Entries of join tables that a lane looks at before it lets go: some 10 ms for a work-group on a
//! CPU's core.
constexpr uint32_t kMostSteps = 1U << 13;

std::string Number(size_t number) {
  return std::to_string(number);
}

//! Reads row `k` of the four rows that have been loaded into `quad<n>`.
class QuadReader : public DirectReader {
 public:
  std::string Encoded(const InputColumn& column, int word) const override {
    if (column.form->GetEncoding() == storage::Encoding::Wide)
      return DirectReader::Encoded(column, word);
    return "quad" + Number(column.number) + "[k]";
  }
};

//! The columns, by the kernel's numbers, that a node is computed from.
void AddColumns(const optimize::Node* node, const KernelContext& context,
                std::set<size_t>& columns) {
  if (node->kind == optimize::NodeKind::Column || node->kind == optimize::NodeKind::TextRow ||
      node->kind == optimize::NodeKind::TextColumn)
    columns.insert(context.Column(node->number).number);
  for (const optimize::Node* operand : node->operands)
    AddColumns(operand, context, columns);
}

}  // namespace

uint32_t LanesGenerator::MostSteps() const {
  return kMostSteps;
}

std::unique_ptr<Sink> LanesGenerator::MakeSink() {
  Source().work_group = kMostLanes;
  if (std::holds_alternative<optimize::JoinBuildSink>(pipeline_.sink))
    return std::make_unique<JoinBuild>(*this);
  if (const auto* rows = std::get_if<optimize::RowSink>(&pipeline_.sink)) {
    if (rows->multiplies)
      return std::make_unique<LanesMultipliedRows>(*this);
    return std::make_unique<LanesRows>(*this);
  }
  const AggregateLayout& layout = std::get<optimize::GroupSink>(pipeline_.sink).layout;
  if (layout.shared)
    return std::make_unique<LanesGroupTable>(*this);
  if (layout.keys.empty())
    return std::make_unique<LanesSingleResult>(*this);
  return MakeLanesGroups(*this);
}

void LanesGenerator::WriteBody(CodeBlock& block) {
  Source().unit_rows = kLanesTileRows;
  Source().units_per_segment = storage::kSegmentRows / kLanesTileRows;
  block.Line("const uint lane = get_local_id(0);");
  sink_->WriteBegin(block);
  block.Open("for (uint unit = get_group_id(0); unit < units; unit += get_num_groups(0)) {");
  block.Line(
      "__global const long* segment = segments + unit / UNITS_PER_SEGMENT * (ulong)SEGMENT_WORDS;");
  WriteSegment(block);
  block.Line("const uint begin = unit % UNITS_PER_SEGMENT * UNIT_ROWS;");
  block.Line("const uint end = min(begin + UNIT_ROWS, rows);");
  sink_->WriteUnitBegin(block);
  sink_->WriteTile(*this, block);
  sink_->WriteUnitEnd(block);
  block.Close();
  sink_->WriteEnd(block);
}

void LanesGenerator::WriteLoads(CodeBlock& block, const std::set<size_t>& numbers,
                                std::set<size_t>& loaded) {
  for (const InputColumn& column : ReadColumns()) {
    if (!Context().IsScanned(column) || column.form->GetEncoding() == storage::Encoding::Wide ||
        column.HoldsText())
      continue;
    if (numbers.count(column.number) == 0 || !loaded.insert(column.number).second)
      continue;
    const std::string type = EncodedType(column), name = "quad" + Number(column.number);
    block.Line("const " + type + "4 load" + Number(column.number) + " = *(__global const " + type +
               "4*)(c" + Number(column.number) + " + first_row);");
    std::string elements;
    for (int i = 0; i < kQuad; i++)
      elements += (i == 0 ? "load" : ", load") + Number(column.number) + ".s" + Number(i);
    block.Line("const " + type + " " + name + "[" + Number(kQuad) + "] = {" + elements + "};");
  }
}

void LanesGenerator::WriteQuads(CodeBlock& block) {
  std::set<size_t> filter_columns, sink_columns, loaded;
  for (const optimize::Value& filter : pipeline_.filters) {
    AddColumns(filter.node, Context(), filter_columns);
    if (filter.CanBeNull())
      AddColumns(filter.null, Context(), filter_columns);
    for (const optimize::Node* fault : filter.faults)
      AddColumns(fault, Context(), filter_columns);
  }
  for (const InputColumn& column : ReadColumns())
    sink_columns.insert(column.number);
  const QuadReader reader;

  if (Source().is_resumable) {
    WriteResume(block, "(unit * LANES + lane)", "stride");
    block.Open("for (; " + WhileSteps("begin + (stride * LANES + lane) * 4 < end") +
               "; stride++) {");
    block.Line("const uint first_row = begin + (stride * LANES + lane) * 4;");
  } else {
    block.Open(
        "for (uint first_row = begin + lane * 4; first_row < end; first_row += LANES * 4) {");
  }
  OpenGiving(block);
  WriteLoads(block, filter_columns, loaded);
  block.Line("uint passed = 0;");
  block.Line("#pragma unroll");
  block.Open("for (uint k = 0; k < 4; k++) {");
  block.Line("const uint row = first_row + k;");
  block.Open("if (row < end) {");
  {
    ExpressionWriter writer(Context(), reader, block);
    const std::string condition = WriteFilters(writer);
    block.Line("passed |= (uint)(" + condition + ") << k;");
  }
  block.Close();
  block.Close();
  block.Open("if (passed) {");
  WriteLoads(block, sink_columns, loaded);
  block.Line("#pragma unroll");
  block.Open("for (uint k = 0; k < 4; k++) {");
  block.Open("if (passed >> k & 1) {");
  block.Line("const uint row = first_row + k;");
  {
    ExpressionWriter writer(Context(), reader, block);
    OpenJoins(writer, block);
    sink_->WriteRow(writer, block);
    CloseJoins(block);
  }
  block.Close();
  block.Close();
  block.Close();
  CloseGiving(block);
  block.Close();
  WriteStop(block, "stride", "begin + (stride * LANES + lane) * 4 < end");
}

}  // namespace margay::compile
