#include "compile/interned_text.hpp"

#include <algorithm>
#include <bit>

#include "compile/aggregate_layout.hpp"
#include "compile/refusal.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

namespace {

//! That a work-item of a CPU remembers, in 12 KiB of its nearest cache.
constexpr size_t kRecentTexts = 1024;

}  // namespace

InternedText::InternedText(const InputColumn& column, size_t number)
    : column_(column), number_(number) {
  if (!CanNumberRows(column)) {
    throw Unsupported("GROUP BY of text in more than " + std::to_string(INT32_MAX) + " rows; " +
                      column.name + " has too many different strings for a dictionary");
  }
}

uint64_t InternedText::Slots(const InputColumn& column, const SharedGroups& shared,
                             uint64_t groups) {
  return shared.is_hashed ? groups
                          : std::bit_ceil(2 * std::max<uint64_t>(column.TextImage()->Rows(), 1));
}

std::vector<std::string> InternedText::Arguments(size_t number) {
  return {"volatile __global uint* interned" + std::to_string(number),
          "const ulong interned_mask" + std::to_string(number)};
}

void InternedText::WriteRecent(CodeBlock& block, size_t number, Shape shape) {
  const std::string recent = "recent" + std::to_string(number);
  const std::string texts = std::to_string(shape == Shape::Loop ? kRecentTexts : 1);
  const std::string hashes = "recent_hash" + std::to_string(number);
  block.Line("int " + recent + "[" + texts + "];");
  block.Line("ulong " + hashes + "[" + texts + "];");
  block.Open("for (uint i = 0; i < " + texts + "; i++) {");
  block.Line(recent + "[i] = -1;");
  block.Line(hashes + "[i] = 0;");
  block.Close();
}

Value InternedText::Write(ExpressionWriter& writer) const {
  const std::string number = std::to_string(number_);
  const std::string table = "interned" + number, mask = "interned_mask" + number;
  const std::string recent = "recent" + number, recent_hash = "recent_hash" + number;
  TextWriter texts(writer);
  writer.context_.sources.insert("text_hash.cl");
  Value value =
      writer.Write(plan::Expression::Column(column_.number, plan::TypeKind::Varchar, column_.name));
  value.machine = Machine::Int32;
  value.code = "v" + std::to_string(writer.context_.variables++);
  value.range = value.domain = {
      0, static_cast<Int128>(std::max<uint64_t>(column_.TextImage()->Rows(), 1) - 1), true};
  const std::string row = writer.Declare(Machine::Int32, texts.WriteStoredRow(column_));
  const std::string text = texts.WriteBytes(column_);
  CodeBlock& block = writer.block_;
  block.Line("int " + value.code + " = " + row + ";");
  block.Open("{");
  block.Line("const ulong hash = text_hash(" + text + ");");
  block.Line("const uint place = hash % (sizeof(" + recent + ") / sizeof(int));");
  block.Line("int other = " + recent_hash + "[place] == hash ? " + recent + "[place] : -1;");
  block.Open("for (uint probe = 0; !full; probe++) {");
  block.Open("if (other >= 0) {");
  block.Open("if (text_equal(" + text + ", " + texts.WriteBytesAt(column_, "other") + ")) {");
  block.Line(value.code + " = other;");
  block.Line("break;");
  block.Close();
  block.Close();
  block.Line("full = probe > " + mask + ";");
  block.Line("const uint held = atomic_cmpxchg(" + table + " + ((hash + probe) & " + mask +
             "), 0u, (uint)" + row + " + 1u);");
  block.Line("if (held == 0) break;");
  block.Line("other = (int)(held - 1u);");
  block.Close();
  block.Line(recent + "[place] = " + value.code + ";");
  block.Line(recent_hash + "[place] = hash;");
  block.Close();
  return value;
}

}  // namespace margay::compile
