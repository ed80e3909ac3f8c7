#include "compile/sink/group_index_writer.hpp"

#include "compile/sink/interned_text.hpp"

namespace margay::compile {

std::string IndexWord(const std::string& group, size_t word) {
  return word == 0 ? group : group + std::to_string(word);
}

void WriteGroupIndex(const optimize::AggregateLayout& layout, ExpressionWriter& writer,
                     CodeBlock& block) {
  if (!layout.shared) {
    const Dialect& dialect = writer.GetDialect();
    const std::string index = dialect.Unsigned(writer.Write(layout.index[0]).code, Machine::Int32);
    // A value that raised a fault may lie outside of its domain.
    // Oclgrind does not know a min of a vector and a number.
    const std::string type = dialect.IsVector() ? "uint8" : "uint";
    block.Line(
        "const " + type + " group = " +
        (layout.is_index_certain ? index : "min(" + index + ", (" + type + ")(GROUPS - 1))") + ";");
    return;
  }
  size_t texts = 0;
  for (const optimize::GroupKey& key : layout.keys) {
    if (key.text)
      InternedText(key, texts++).Write(writer);
  }
  for (size_t word = 0; word < layout.index.size(); word++) {
    block.Line("const ulong " + IndexWord("group", word) + " = (ulong)" +
               writer.Write(layout.index[word]).code + ";");
  }
}

}  // namespace margay::compile
