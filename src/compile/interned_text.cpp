#include "compile/interned_text.hpp"

#include <algorithm>
#include <bit>

#include "compile/refusal.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

InternedText::InternedText(const InputColumn& column, size_t scanned, size_t number)
    : column_(column), number_(number) {
  if (!HasAllTextAtHand(column, scanned)) {
    throw Unsupported("GROUP BY of text in more than one extent; " + column.name +
                      " has too many different strings for a dictionary");
  }
}

uint64_t InternedText::Slots(const InputColumn& column) {
  return std::bit_ceil(2 * std::max<uint64_t>(column.TextImage()->Rows(), 1));
}

std::vector<std::string> InternedText::Arguments(size_t number) {
  return {"volatile __global uint* interned" + std::to_string(number),
          "const ulong interned_mask" + std::to_string(number)};
}

Value InternedText::Write(ExpressionWriter& writer) const {
  const std::string number = std::to_string(number_);
  const std::string table = "interned" + number, mask = "interned_mask" + number;
  TextWriter texts(writer);
  writer.context_.sources.insert("text_hash.cl");
  Value value =
      writer.Write(plan::Expression::Column(column_.number, plan::TypeKind::Varchar, column_.name));
  value.machine = Machine::Int32;
  value.code = "v" + std::to_string(writer.context_.variables++);
  value.range = value.domain = {
      0, static_cast<Int128>(std::max<uint64_t>(column_.TextImage()->Rows(), 1) - 1), true};
  const std::string row = writer.Declare(Machine::Int32, "max(" + texts.WriteRow(column_) + ", 0)");
  const std::string text = texts.WriteBytes(column_);
  CodeBlock& block = writer.block_;
  block.Line("int " + value.code + " = " + row + ";");
  block.Open("for (ulong slot = text_hash(" + text + ");; slot++) {");
  block.Line("const uint held = atomic_cmpxchg(" + table + " + (slot & " + mask + "), 0u, (uint)" +
             row + " + 1u);");
  block.Line("if (held == 0) break;");
  block.Line("const int other = (int)(held - 1u);");
  block.Open("if (text_equal(" + text + ", " + texts.WriteBytesAt(column_, "other") + ")) {");
  block.Line(value.code + " = other;");
  block.Line("break;");
  block.Close();
  block.Close();
  return value;
}

}  // namespace margay::compile
