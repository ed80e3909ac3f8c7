#include "compile/sink/group_table.hpp"

#include "compile/kernel_generator.hpp"
#include "compile/sink/group_index_writer.hpp"
#include "compile/sink/interned_text.hpp"
#include "kernels/embedded_sources.hpp"

namespace margay::compile {

namespace {

std::string Accumulated(size_t word) {
  return "a" + std::to_string(word);
}

}  // namespace

GroupTable::GroupTable(KernelGenerator& generator)
    : AggregateSink(generator), writer_(generator.Pipeline(), generator.Context()) {
  writer_.AddClearArguments(generator.Source().clear_arguments);
  writer_.AddPackingArguments(generator.Source().packing_arguments);
}

void GroupTable::AddArguments(ArgumentList& arguments) const {
  writer_.AddArguments(arguments);
  for (size_t i = 0; i < layout_.InternedTexts().size(); i++)
    InternedText::AddArguments(i, arguments);
}

std::vector<std::string> GroupTable::Sources() const {
  std::vector<std::string> sources{"atomic.cl", "hash.cl"};
  const optimize::GroupPacking& packing = writer_.Packing();
  const std::set<std::string>& of_packing = packing.values->graph.Sources();
  sources.insert(sources.end(), of_packing.begin(), of_packing.end());
  for (const InputColumn& column : packing.columns) {
    if (column.IsText())
      sources.push_back("text.cl");
  }
  return sources;
}

void GroupTable::WriteDefinitions(CodeBlock& block) const {
  block.Line("#define WORDS " + std::to_string(layout_.words));
  block.Line("#define CODE_WORDS " + std::to_string(layout_.index_places.size()));
}

void GroupTable::WriteFunctions(CodeBlock& block) {
  block.Line(std::string(kernels::EmbeddedSource("average.cl")));
  block.Line(std::string(kernels::EmbeddedSource("group_table.cl")));
  block.Line(writer_.FoldFunctions());
  block.Line(writer_.ClearKernel(generator_.Source().clear_arguments));
  block.Line(
      writer_.PackKernel(generator_.Source().packing_arguments, generator_.Context().calendars));
}

void GroupTable::WriteBegin(CodeBlock& block) {
  block.Line("int full = 0;");
  block.Line("int added = 0;");
  for (size_t i = 0; i < layout_.InternedTexts().size(); i++)
    InternedText::WriteRecent(block, i, generator_.Pipeline().shape);
}

void GroupTable::WriteReport(CodeBlock& block) {
  block.Line("if (full) atomic_or(faults, " + std::to_string(kFullBit) + ");");
  block.Line("if (added) atomic_add(faults + 1, added);");
}

void LoopGroupTable::WriteBegin(CodeBlock& block) {
  GroupTable::WriteBegin(block);
  writer_.WriteDeclarations(block);
  writer_.WriteRunDeclaration(block);
}

void LoopGroupTable::WriteUnitBegin(CodeBlock& block) {
  if (layout_.shared->is_clustered)
    block.Line("uint runs = 0;");
}

void LoopGroupTable::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteGroupIndex(layout_, writer, block);
  WriteRun(block);
  WriteFolds(block, WriteArguments(writer), Accumulated);
}

void LoopGroupTable::WriteRun(CodeBlock& block) {
  block.Open("if (" + writer_.DiffersFromRun() + ") {");
  if (layout_.shared->is_clustered) {
    // Only the first and the last run of a unit can go on in others.
    block.Open("if (runs > 1) {");
    writer_.WriteStore(block, "run_group");
    block.Line("run_group = ~0UL;");
    block.Close();
    block.Line("runs++;");
  }
  WriteRunEnd(block);
  writer_.WriteRunStart(block);
  writer_.WriteReset(block);
  writer_.WriteRows(block);
  block.Close();
}

void LoopGroupTable::WriteRunEnd(CodeBlock& block) {
  block.Open("if (run_group != ~0UL) {");
  writer_.WriteFold(block, "run_group");
  block.Close();
}

void LoopGroupTable::WriteEnd(CodeBlock& block) {
  WriteRunEnd(block);
}

void LanesGroupTable::WriteBegin(CodeBlock& block) {
  GroupTable::WriteBegin(block);
  if (FoldsOnce())
    writer_.WriteDeclarations(block);
}

void LanesGroupTable::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  if (!FoldsOnce())
    WriteGroupIndex(layout_, writer, block);
  const std::vector<WrittenValue> values = WriteArguments(writer);
  if (!FoldsOnce()) {
    writer_.WriteDeclarations(block);
    writer_.WriteRows(block);
  }
  WriteFolds(block, values, Accumulated);
  if (!FoldsOnce())
    writer_.WriteFold(block, "group");
}

void LanesGroupTable::WriteEnd(CodeBlock& block) {
  if (!FoldsOnce())
    return;
  block.Line("const ulong group = 0;");
  writer_.WriteFold(block, "group");
}

}  // namespace margay::compile
