#include "compile/loop_generator.hpp"

#include "compile/sink/group_table.hpp"
#include "compile/sink/join_build.hpp"
#include "compile/sink/loop_groups.hpp"
#include "compile/sink/rows.hpp"
#include "compile/sink/single_result.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

namespace {

//! Rows that take a join together: enough that waiting for memory overlaps, few enough that what is
//! kept of them stays in the first-level cache.
constexpr uint32_t kStagedRows = 1024;

//! Entries of join tables that a work-item looks at before it lets go: some 20 ms.
constexpr uint32_t kMostSteps = 1U << 22;

//! The tables whose rows a join makes known.
std::vector<size_t> JoinedTables(const PipelineJoin& join) {
  if (!join.GivesBuildSide() || join.table.is_bitmap)
    return {};
  std::vector<size_t> tables{join.table.table};
  tables.insert(tables.end(), join.table.links.begin(), join.table.links.end());
  return tables;
}

bool NeedsEntry(plan::JoinKind kind) {
  return kind == plan::JoinKind::Inner || kind == plan::JoinKind::Semi;
}

}  // namespace

uint32_t LoopGenerator::MostSteps() const {
  return kMostSteps;
}

std::unique_ptr<Sink> LoopGenerator::MakeSink() {
  if (std::holds_alternative<optimize::JoinBuildSink>(pipeline_.sink))
    return std::make_unique<JoinBuild>(*this);
  if (const auto* rows = std::get_if<optimize::RowSink>(&pipeline_.sink)) {
    if (rows->multiplies)
      return std::make_unique<LoopMultipliedRows>(*this);
    return std::make_unique<LoopRows>(*this);
  }
  const AggregateLayout& layout = std::get<optimize::GroupSink>(pipeline_.sink).layout;
  if (layout.shared)
    return std::make_unique<LoopGroupTable>(*this);
  if (layout.keys.empty())
    return std::make_unique<LoopSingleResult>(*this);
  return std::make_unique<LoopGroups>(*this);
}

void LoopGenerator::WriteRows(CodeBlock& block) {
  block.Open("for (uint row = 0; row < rows; row++) {");
  const DirectReader reader;
  ExpressionWriter writer(Context(), reader, block);
  const std::string condition = WriteFilters(writer);
  if (condition != "1")
    block.Open("if (" + condition + ") {");
  sink_->WriteRow(writer, block);
  if (condition != "1")
    block.Close();
  block.Close();
}

void LoopGenerator::WriteStaged(CodeBlock& block, const std::vector<size_t>& tables) {
  block.Line("const uint row = staged_row[place];");
  for (size_t table : tables)
    block.Line("const int " + JoinedRow(table) + " = staged_" + JoinedRow(table) + "[place];");
}

void LoopGenerator::OpenStage(CodeBlock& block, const std::vector<size_t>& tables) {
  block.Open("{");
  block.Line("uint kept = 0;");
  block.Open("for (uint place = 0; place < count; place++) {");
  WriteStaged(block, tables);
}

void LoopGenerator::CloseStage(CodeBlock& block, const std::vector<size_t>& tables,
                               const std::string& condition) {
  block.Line("staged_row[kept] = row;");
  for (size_t table : tables)
    block.Line("staged_" + JoinedRow(table) + "[kept] = " + JoinedRow(table) + ";");
  block.Line("kept += " + condition + ";");
  block.Close();
  WriteLeft(block, "kept");
  block.Close();
}

void LoopGenerator::WriteLeft(CodeBlock& block, const std::string& rows) {
  block.Line("left = " + rows + ";");
  block.Line("count = left;");
}

bool LoopGenerator::TestsBits() const {
  if (Joins().empty() || FiltersByBound())
    return false;
  const PipelineJoin& first = Joins()[0];
  return pipeline_.filters.empty() && first.table.has_bits && !first.table.is_ranked &&
         NeedsEntry(first.kind);
}

void LoopGenerator::WriteFilterStage(CodeBlock& block) {
  // Two loops: compilers find vectors in the first, which keeps nothing from row to row.
  block.Open("for (uint row = begin; row < end; row++) {");
  {
    const DirectReader reader;
    ExpressionWriter writer(Context(), reader, block);
    const std::string condition =
        TestsBits() ? JoinWriter(writer).WriteTaken(Joins()[0]) : WriteFilters(writer);
    block.Line("passes[row - begin] = (uchar)(" + condition + ");");
  }
  block.Close();
  block.Line("uint count = 0;");
  block.Line("vstore8((uchar8)(0), 0, passes + (end - begin));");
  block.Open("for (uint place = 0; place < end - begin; place += 8) {");
  block.Line("if (as_ulong(vload8(0, passes + place)) == 0) continue;");
  block.Open("for (uint next = place; next < place + 8; next++) {");
  block.Line("staged_row[count] = begin + next;");
  block.Line("count += passes[next];");
  block.Close();
  block.Close();
  WriteLeft(block, "count");
}

void LoopGenerator::WriteLookupStage(size_t number, std::vector<size_t>& tables,
                                     CodeBlock& declarations, CodeBlock& block) {
  const DirectReader reader;
  const PipelineJoin& join = Joins()[number];
  const bool is_taken = number == 0 && TestsBits();
  // What the bits left is all that a semi join asks for, or a join with a bitmap.
  if (!is_taken || (join.GivesBuildSide() && !join.table.is_bitmap)) {
    OpenStage(block, tables);
    ExpressionWriter writer(Context(), reader, block);
    JoinWriter join_writer(writer);
    std::string gives_row = "1";
    if (is_taken)
      join_writer.WriteKnownLookup(join);
    else
      gives_row = join_writer.WriteLookup(join);
    for (size_t joined : JoinedTables(join)) {
      tables.push_back(joined);
      declarations.Line("int staged_" + JoinedRow(joined) + "[STAGED_ROWS];");
    }
    CloseStage(block, tables, gives_row);
  }
  if (join.probe.conjuncts.empty())
    return;
  OpenStage(block, tables);
  ExpressionWriter filter(Context(), reader, block);
  const std::string condition = WriteConjunction(filter, join.probe.conjuncts);
  CloseStage(block, tables, condition);
}

void LoopGenerator::WriteStages(CodeBlock& declarations, CodeBlock& block) {
  const DirectReader reader;
  declarations.Line("#define STAGED_ROWS " + std::to_string(kStagedRows));
  // With room for eight more: where few rows pass, eight at a time are left out.
  declarations.Line("uchar passes[STAGED_ROWS + 8];");
  declarations.Line("uint staged_row[STAGED_ROWS + 8];");
  declarations.Line("volatile uint left;");
  if (Source().is_resumable)
    WriteResume(block, "unit", "begin");
  else
    block.Line("uint begin = 0;");
  block.Open("while (" + WhileSteps("begin < rows") + ") {");
  block.Line("const uint end = min(begin + STAGED_ROWS, rows);");
  WriteFilterStage(block);

  std::vector<size_t> tables;  // of which rows are known
  size_t next = 0;
  for (; next < Joins().size() && Joins()[next].IsLookup(); next++)
    WriteLookupStage(next, tables, declarations, block);
  std::string head;
  if (next < Joins().size()) {
    OpenStage(block, tables);
    ExpressionWriter writer(Context(), reader, block);
    // The search for further entries has branches; the first one is at hand then.
    const std::string first = JoinWriter(writer).WriteHead(Joins()[next]);
    head = "staged_" + first + "[place]";
    declarations.Line("int staged_" + first + "[STAGED_ROWS];");
    block.Line("staged_" + first + "[kept] = " + first + ";");
    CloseStage(block, tables, NeedsEntry(Joins()[next].kind) ? "(" + first + " >= 0)" : "1");
  }

  block.Line("uint place = 0;");
  block.Open("for (; " + WhileSteps("place < count") + "; place++) {");
  WriteStaged(block, tables);
  OpenGiving(block);
  ExpressionWriter writer(Context(), reader, block);
  OpenJoins(writer, block, next, head);
  sink_->WriteRow(writer, block);
  CloseJoins(block);
  CloseGiving(block);
  block.Close();
  block.Line("begin = place < count ? staged_row[place] : end;");
  block.Close();
  WriteStop(block, "begin", "begin < rows");
}

void LoopGenerator::WriteBody(CodeBlock& block) {
  Source().work_group = 1;
  Source().unit_rows = storage::kSegmentRows;
  Source().units_per_segment = 1;
  sink_->WriteBegin(block);

  CodeBlock segment(block.Indentation() + 1), declarations(block.Indentation());
  auto* groups = dynamic_cast<LoopGroups*>(sink_.get());
  // Where rows pass at random, a branch for each costs more than to note which of them do.
  const bool has_branches = !pipeline_.filters.empty() && !sink_->FoldsInVectors();
  if (groups != nullptr && groups->IsTiled())
    groups->WriteTiles(declarations, segment);
  else if (!Joins().empty() || FiltersByBound() || has_branches)
    WriteStages(declarations, segment);
  else
    WriteRows(segment);
  block.Append(declarations);

  block.Open("for (uint unit = get_group_id(0); unit < units; unit += get_num_groups(0)) {");
  block.Line("__global const long* segment = segments + unit * (ulong)SEGMENT_WORDS;");
  WriteSegment(block);
  sink_->WriteUnitBegin(block);
  block.Append(segment);
  sink_->WriteUnitEnd(block);
  block.Close();
  sink_->WriteEnd(block);
}

}  // namespace margay::compile
