#include "compile/group_index_writer.hpp"

#include "compile/dictionary_writer.hpp"
#include "compile/float_group_key.hpp"
#include "compile/interned_text.hpp"

namespace margay::compile {

namespace {

//! Whether a group key is always in its domain.
bool IsCertain(const plan::Expression& key) {
  return key.GetOperation() == plan::Operation::Column ||
         key.GetOperation() == plan::Operation::Dictionary;
}

}  // namespace

Value GroupIndexWriter::WriteKey(const plan::ExpressionPointer& expression) {
  if (expression->GetType().IsFloat())
    return FloatGroupKey(expression).Write(writer_);
  if (expression->GetOperation() == plan::Operation::Dictionary)
    return DictionaryWriter(writer_).WriteIdentifier(*expression).identifier;
  if (expression->GetType().IsBoolean())
    writer_.GetDialect().RequireRow();
  return writer_.Write(expression);
}

void GroupIndexWriter::Write(CodeBlock& block) {
  if (layout_.shared)
    WriteShared(block);
  else
    WriteOwn(block);
}

void GroupIndexWriter::WriteOwn(CodeBlock& block) {
  const Dialect& dialect = writer_.GetDialect();
  std::string index;
  bool is_certain = true;
  for (size_t i = 0; i < layout_.keys.size(); i++) {
    const GroupKey& key = layout_.keys[i];
    const Value value = WriteKey(keys_[i]);
    is_certain = is_certain && IsCertain(*keys_[i]);
    const Machine machine = value.machine == Machine::Wide ? Machine::Int64 : value.machine;
    std::string above =
        writer_.Convert(value, machine) + " - " + context_.parameters.AddInteger(key.low, machine);
    if (key.step != 1) {
      dialect.RequireRow();
      above = "(" + above + ") / " + IntegerLiteral(key.step, Machine::Int64);
    }
    std::string place = dialect.Unsigned(above, machine);
    const GroupDigit& digit = key.digits[0];
    if (digit.has_null) {
      place = "(" + value.null + " ? " + (dialect.IsVector() ? "(uint8)" : "") + "(" +
              std::to_string(digit.values) + "u) : " + place + ")";
    }
    if (digit.stride != 1)
      place += " * " + std::to_string(digit.stride);
    index += index.empty() ? place : " + " + place;
  }
  // A value that raised a fault may lie outside of its domain.
  // Oclgrind does not know a min of a vector and a number.
  const std::string type = dialect.IsVector() ? "uint8" : "uint";
  block.Line("const " + type + " group = " +
             (is_certain ? index : "min(" + index + ", (" + type + ")(GROUPS - 1))") + ";");
}

std::vector<std::string> GroupIndexWriter::WriteDigits(const GroupKey& key, const Value& value) {
  // Sizes are parameters: unlike those of small domains they change with the data.
  const auto parameter = [&](Int128 number) {
    return "(ulong)" + context_.parameters.AddInteger(number, Machine::Int64);
  };
  std::vector<std::string> digits;
  if (key.digits.size() == 1) {
    digits.push_back("((ulong)" + writer_.Convert(value, Machine::Int64) + " - " +
                     parameter(key.low) + ")");
    if (key.step != 1)
      digits[0] = "(" + digits[0] + " / " + parameter(key.step) + ")";
  } else {
    static_assert(kDigitBits == 63, "the shifts below");
    const std::string place = writer_.Declare(
        Machine::Wide, "wide_subtract(" + writer_.Convert(value, Machine::Wide) + ", " +
                           context_.parameters.AddInteger(key.low, Machine::Wide) + ")");
    const std::string low = place + ".low", high = "(ulong)" + place + ".high";
    // The mask comes before the shift: of one behind it LLVM makes a funnel shift, which Oclgrind
    // lacks.
    digits = {"(" + low + " & (~0UL >> 1))",
              "(" + low + " >> 63 | (" + high + " & (~0UL >> 2)) << 1)", "(" + high + " >> 62)"};
    digits.resize(key.digits.size());
  }
  for (size_t i = 0; i < digits.size(); i++) {
    const GroupDigit& digit = key.digits[i];
    if (key.HasNull()) {
      digits[i] = "(" + value.null + " ? " +
                  (digit.has_null ? parameter(static_cast<Int128>(digit.values)) : "0UL") + " : " +
                  digits[i] + ")";
    }
    if (digit.stride != 1)
      digits[i] += " * " + parameter(static_cast<Int128>(digit.stride));
  }
  return digits;
}

void GroupIndexWriter::WriteShared(CodeBlock& block) {
  std::vector<std::string> index(layout_.index_places.size());
  bool is_certain = true;
  size_t texts = 0;
  for (size_t i = 0; i < layout_.keys.size(); i++) {
    const GroupKey& key = layout_.keys[i];
    if (key.is_dependent)
      continue;
    const Value value =
        key.text ? InternedText(*key.text, texts++).Write(writer_) : WriteKey(keys_[i]);
    is_certain = is_certain && (key.text || IsCertain(*keys_[i]));
    const std::vector<std::string> digits = WriteDigits(key, value);
    for (size_t digit = 0; digit < digits.size(); digit++) {
      std::string& word = index[key.digits[digit].word];
      word += (word.empty() ? "" : " + ") + digits[digit];
    }
  }
  if (layout_.keys.empty())
    index[0] = "0UL";
  for (size_t word = 0; word < index.size(); word++) {
    // A value that raised a fault may lie outside of its domain.
    if (!is_certain) {
      const auto last = static_cast<Int128>(layout_.index_places[word] - 1);
      index[word] = "min(" + index[word] + ", (ulong)" +
                    context_.parameters.AddInteger(last, Machine::Int64) + ")";
    }
    block.Line("const ulong " + IndexWord("group", word) + " = " + index[word] + ";");
  }
}

}  // namespace margay::compile
