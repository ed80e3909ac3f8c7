#include "compile/sink/order_words_writer.hpp"

namespace margay::compile {

namespace {

constexpr unsigned kWordBits = 64;

}  // namespace

std::vector<std::string> WriteOrderWords(const OrderWords& order, ExpressionWriter& writer) {
  std::vector<std::string> words(order.Count());
  const auto add = [&](size_t word, const std::string& code) {
    words[word] += (words[word].empty() ? "" : " | ") + code;
  };
  size_t position = 0;
  for (const OrderWords::Field& field : order.Fields()) {
    const WrittenValue value = writer.Write(field.value);
    if (field.bits == 0)
      continue;
    const std::string name = writer.DeclareAs("ulong", "(ulong)" + value.code);
    const size_t word = position / kWordBits;
    const auto room = static_cast<unsigned>(kWordBits - position % kWordBits);
    if (field.bits <= room) {
      add(word, name + " << " + std::to_string(room - field.bits));
    } else {
      add(word, name + " >> " + std::to_string(field.bits - room));
      add(word + 1, name + " << " + std::to_string(kWordBits - (field.bits - room)));
    }
    position += field.bits;
  }
  for (std::string& word : words)
    word = writer.DeclareAs("ulong", word.empty() ? "0UL" : word);
  return words;
}

std::string IsBelowBound(const std::vector<std::string>& words) {
  std::string code;
  for (size_t i = words.size(); i-- > 0;) {
    const std::string bound = "bound[" + std::to_string(i) + "]";
    const std::string below = "(" + words[i] + " < " + bound + ")";
    code = code.empty() ? below
                        : "(" + below + " | ((" + words[i] + " == " + bound + ") & " + code + "))";
  }
  return code;
}

}  // namespace margay::compile
