#include "compile/sink/join_build.hpp"

#include "compile/kernel_generator.hpp"
#include "kernels/embedded_sources.hpp"

namespace margay::compile {

JoinBuild::JoinBuild(KernelGenerator& generator)
    : Sink(generator),
      insert_(std::get<optimize::JoinBuildSink>(generator.Pipeline().sink).insert),
      table_(std::get<optimize::JoinBuildSink>(generator.Pipeline().sink).table) {
  table_.number = FilledTable(generator.Pipeline());
  table_.table = 0;
  for (size_t& linked : table_.links)
    linked = generator.Context().Table(linked);
}

void JoinBuild::AddArguments(ArgumentList& arguments) const {
  JoinWriter::AddArguments(table_, true, arguments);
  if (table_.ranged_key)
    arguments.Add({ArgumentKind::KeyRange});
  if (table_.is_numbered) {
    arguments.Add({ArgumentKind::Entries});
    arguments.Add({ArgumentKind::EntryCapacity});
  }
}

std::vector<std::string> JoinBuild::Sources() const {
  if (table_.ranged_key)
    return {"atomic.cl", "hash.cl"};
  return {"hash.cl"};
}

void JoinBuild::WriteFunctions(CodeBlock& block) {
  block.Line(std::string(kernels::EmbeddedSource("join_table.cl")));
}

void JoinBuild::WriteBegin(CodeBlock& block) {
  if (table_.is_numbered)
    block.Line("int full = 0;");
  if (table_.ranged_key)
    block.Line("long least = LONG_MAX, greatest = LONG_MIN;");
  if (table_.has_bits)
    block.Line("held_bits held = {0, 0};");
}

void JoinBuild::WriteRow(ExpressionWriter& writer, CodeBlock& /*block*/) {
  JoinWriter(writer).WriteInsert(insert_, table_, "(table_first + row)");
}

void JoinBuild::WriteReport(CodeBlock& block) {
  if (table_.is_numbered)
    block.Line("if (full) atomic_or(faults, " + std::to_string(kFullBit) + ");");
  if (table_.has_bits)
    block.Line("give_bits(" + Argument{ArgumentKind::Bits, table_.number}.Name() + ", &held);");
  if (!table_.ranged_key)
    return;
  block.Open("if (least <= greatest) {");
  block.Line("atomic_min_long(key_range, least);");
  block.Line("atomic_max_long(key_range + 1, greatest);");
  block.Close();
}

}  // namespace margay::compile
