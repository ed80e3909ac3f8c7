#include "compile/sink/rows.hpp"

#include "compile/lanes_generator.hpp"
#include "compile/sink/order_words_writer.hpp"
#include "compile/sink/row_output_writer.hpp"

namespace margay::compile {

RowsSink::RowsSink(KernelGenerator& generator)
    : Sink(generator), rows_(std::get<optimize::RowSink>(generator.Pipeline().sink)) {}

void RowsSink::AddArguments(ArgumentList& arguments) const {
  if (HasBound())
    arguments.Add({ArgumentKind::Bound});
  arguments.Add({ArgumentKind::RowCounts});
  AddOutputArguments(rows_.outputs, arguments);
}

void RowsSink::WriteOutputs(ExpressionWriter& writer, CodeBlock& block,
                            const std::string& position) {
  const size_t words = rows_.order ? rows_.order->Count() : 0;
  size_t output = 0;
  for (; output + words < rows_.outputs.size(); output++) {
    WriteOutput(rows_.outputs[output], output, generator_.ReadColumns(), writer, block, position);
  }
  if (words == 0)
    return;
  for (const std::string& word : WriteOrderWords(*rows_.order, writer)) {
    block.Line(Argument{ArgumentKind::Values, output++}.Name() + "[" + position + "] = (long)" +
               word + ";");
  }
}

void LoopRows::WriteUnitBegin(CodeBlock& block) {
  block.Line("uint produced = 0;");
}

void LoopRows::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  const std::string condition = generator_.WriteLastFilter(writer);
  if (condition != "1")
    block.Open("if (" + condition + ") {");
  block.Line("const ulong position = (ulong)unit * UNIT_ROWS + produced;");
  WriteOutputs(writer, block, "position");
  block.Line("produced++;");
  if (condition != "1")
    block.Close();
}

void LoopRows::WriteUnitEnd(CodeBlock& block) {
  block.Line("counts[unit] = min(produced, (uint)UNIT_ROWS);");
}

void LanesRows::WriteBegin(CodeBlock& block) {
  block.Line("__local uint places[LANES];");
}

void LanesRows::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  WriteOutputs(writer, block, "position");
}

void LanesRows::WriteTile(LanesGenerator& generator, CodeBlock& block) {
  const DirectReader reader;
  block.Line("uint produced = 0;");
  block.Open("for (uint first_row = begin; first_row < end; first_row += LANES) {");
  block.Line("const uint row = first_row + lane;");
  // Filters are computed twice rather than kept: what passes may need values of any type.
  block.Line("uint passes = 0;");
  block.Open("if (row < end) {");
  {
    ExpressionWriter writer(generator.Context(), reader, block);
    const std::string condition = generator.WriteFilters(writer);
    if (generator.Joins().empty()) {
      block.Line("passes = (uint)(" + condition + ");");
    } else {
      block.Open("if (" + condition + ") {");
      generator.OpenJoins(writer, block);
      const std::string last = generator.WriteLastFilter(writer);
      block.Line("passes = (uint)" + last + ";");
      generator.CloseJoins(block);
      block.Close();
    }
  }
  block.Close();
  block.Line("places[lane] = passes;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Open("for (uint distance = 1; distance < LANES; distance *= 2) {");
  block.Line("const uint left = lane >= distance ? places[lane - distance] : 0;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Line("places[lane] += left;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Close();
  block.Open("if (passes) {");
  block.Line("const ulong position = (ulong)unit * UNIT_ROWS + produced + places[lane] - 1;");
  {
    ExpressionWriter writer(generator.Context(), reader, block);
    generator.OpenJoins(writer, block);
    WriteRow(writer, block);
    generator.CloseJoins(block);
  }
  block.Close();
  block.Line("produced += places[LANES - 1];");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Close();
  block.Line("if (lane == 0) counts[unit] = produced;");
}

void MultipliedRows::WriteRow(ExpressionWriter& writer, CodeBlock& block) {
  block.Open("if (found++ >= given) {");
  block.Line("const uint claimed = " + Claim() + ";");
  block.Line("has_room = claimed < UNIT_ROWS;");
  block.Open("if (has_room) {");
  block.Line("const ulong position = (ulong)unit * UNIT_ROWS + claimed;");
  WriteOutputs(writer, block, "position");
  block.Line("given++;");
  block.Close();
  for (const PipelineJoin& join : generator_.Joins()) {
    if (!join.IsLookup())
      block.Line("if (!has_room) " + JoinWriter::EndCode(join.table));
  }
  block.Close();
}

void LoopMultipliedRows::WriteUnitBegin(CodeBlock& block) {
  block.Line("uint produced = 0;");
}

void LoopMultipliedRows::WriteUnitEnd(CodeBlock& block) {
  block.Line("counts[unit] = min(produced, (uint)UNIT_ROWS);");
}

void LanesMultipliedRows::WriteBegin(CodeBlock& block) {
  block.Line("__local uint produced;");
}

void LanesMultipliedRows::WriteTile(LanesGenerator& generator, CodeBlock& block) {
  block.Line("if (lane == 0) produced = 0;");
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  generator.WriteQuads(block);
  block.Line("barrier(CLK_LOCAL_MEM_FENCE);");
  block.Line("if (lane == 0) counts[unit] = min(produced, (uint)UNIT_ROWS);");
}

}  // namespace margay::compile
