#include "compile/sink/interned_text.hpp"

#include <algorithm>
#include <bit>

namespace margay::compile {

namespace {

//! That a work-item of a CPU remembers, in 12 KiB of its nearest cache.
constexpr size_t kRecentTexts = 1024;

}  // namespace

uint64_t InternedText::Slots(const InputColumn& column, const optimize::SharedGroups& shared,
                             uint64_t groups) {
  return shared.is_hashed ? groups
                          : std::bit_ceil(2 * std::max<uint64_t>(column.TextImage()->Rows(), 1));
}

void InternedText::AddArguments(size_t number, ArgumentList& arguments) {
  arguments.Add({ArgumentKind::Interned, number});
  arguments.Add({ArgumentKind::InternedMask, number});
}

void InternedText::WriteRecent(CodeBlock& block, size_t number, optimize::Shape shape) {
  const std::string recent = "recent" + std::to_string(number);
  const std::string texts = std::to_string(shape == optimize::Shape::Loop ? kRecentTexts : 1);
  const std::string hashes = "recent_hash" + std::to_string(number);
  block.Line("int " + recent + "[" + texts + "];");
  block.Line("ulong " + hashes + "[" + texts + "];");
  block.Open("for (uint i = 0; i < " + texts + "; i++) {");
  block.Line(recent + "[i] = -1;");
  block.Line(hashes + "[i] = 0;");
  block.Close();
}

void InternedText::Write(ExpressionWriter& writer) const {
  const std::string number = std::to_string(number_), own = "interned_row" + number;
  const std::string table = "interned" + number, mask = "interned_mask" + number;
  const std::string recent = "recent" + number, recent_hash = "recent_hash" + number;
  const std::string row = writer.Declare(
      Machine::Int32, writer.WriteStoredTextRow(writer.Context().Column(key_.text->number)));
  const std::string text = writer.WriteText(key_.string).Arguments();
  CodeBlock& block = writer.Block();
  block.Line("int " + own + " = " + row + ";");
  block.Open("{");
  block.Line("const ulong hash = text_hash(" + text + ");");
  block.Line("const uint place = hash % (sizeof(" + recent + ") / sizeof(int));");
  block.Line("int other = " + recent_hash + "[place] == hash ? " + recent + "[place] : -1;");
  block.Open("for (uint probe = 0; !full; probe++) {");
  block.Open("if (other >= 0) {");
  const std::string other = writer.WriteTextAt(key_.string, "other").Arguments();
  block.Open("if (text_equal(" + text + ", " + other + ")) {");
  block.Line(own + " = other;");
  block.Line("break;");
  block.Close();
  block.Close();
  block.Line("full = probe > " + mask + ";");
  block.Line("const uint held = atomic_cmpxchg(" + table + " + ((hash + probe) & " + mask +
             "), 0u, (uint)" + row + " + 1u);");
  block.Line("if (held == 0) break;");
  block.Line("other = (int)(held - 1u);");
  block.Close();
  block.Line(recent + "[place] = " + own + ";");
  block.Line(recent_hash + "[place] = hash;");
  block.Close();
}

}  // namespace margay::compile
