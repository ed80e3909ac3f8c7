#include "compile/sink/text_extreme.hpp"

namespace margay::compile {

std::string TextExtreme::IsBetter(KernelContext& context, CodeBlock& block, const std::string& from,
                                  const std::string& held) const {
  const DirectReader reader;
  ExpressionWriter writer(context, reader, block);
  const auto bytes = [&](const std::string& word) {
    return writer.WriteTextAt(string_, "((int)(" + word + " - 1))").Arguments();
  };
  const std::string own = bytes(from);
  return "text_order(" + own + ", " + bytes(held) + ")" +
         (fold_ == Fold::MinText ? " < 0" : " > 0");
}

void TextExtreme::WriteFold(KernelContext& context, CodeBlock& block, const std::string& into,
                            const std::string& from) const {
  // What a comparison declares reads both strings.
  block.Line("if (" + into + " == 0) " + into + " = " + from + ";");
  block.Open("if (" + from + " != 0 && " + into + " != " + from + ") {");
  const std::string is_better = IsBetter(context, block, from, into);
  block.Line("if (" + is_better + ") " + into + " = " + from + ";");
  block.Close();
}

void TextExtreme::WriteAtomicFold(KernelContext& context, CodeBlock& block, const std::string& into,
                                  const std::string& from) const {
  // Starts from any value instead of a read: a plain read beside atomic writes would be a race.
  block.Open("for (long held = 0; " + from + " != 0;) {");
  block.Line("const long seen = atom_cmpxchg(" + into + ", held, " + from + ");");
  block.Line("if (seen == held || seen == " + from + ") break;");
  const std::string is_better = IsBetter(context, block, from, "seen");
  block.Line("if (!(" + is_better + ")) break;");
  block.Line("held = seen;");
  block.Close();
}

}  // namespace margay::compile
