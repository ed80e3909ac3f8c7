#include "compile/string_argument.hpp"

#include <algorithm>

#include "compile/dictionary_writer.hpp"
#include "compile/refusal.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

using plan::Operation;

namespace {

bool IsFunction(const plan::Expression& string) {
  return string.GetOperation() == Operation::Dictionary;
}

bool IsString(const plan::Expression& expression) {
  return expression.GetOperation() == Operation::Column || IsFunction(expression);
}

//! The text column that `string` is; null if it has a dictionary.
const InputColumn* TextOf(const plan::Expression& string, const std::vector<InputColumn>& columns) {
  if (IsFunction(string))
    return nullptr;
  const InputColumn& input = columns[string.ColumnIndex()];
  return input.IsText() ? &input : nullptr;
}

}  // namespace

std::optional<StringArgument> StringArgument::Find(const plan::ExpressionPointer& argument) {
  if (IsString(*argument))
    return StringArgument{argument, nullptr};
  const auto& operands = argument->Operands();
  const bool is_conditional = argument->GetOperation() == Operation::Case && operands.size() == 3 &&
                              IsString(*operands[1]) &&
                              operands[2]->GetOperation() == Operation::Constant &&
                              operands[2]->GetConstant().is_null;
  if (!is_conditional)
    return std::nullopt;
  return StringArgument{operands[1], operands[0]};
}

StringArgument StringArgument::Of(const plan::ExpressionPointer& argument) {
  if (const auto found = Find(argument))
    return *found;
  throw Unsupported("aggregates of the string " + argument->ToString());
}

const InputColumn* StringArgument::FindText(const plan::ExpressionPointer& argument,
                                            const std::vector<InputColumn>& columns) {
  return argument && argument->GetType().IsVarchar() ? TextOf(*Of(argument).string, columns)
                                                     : nullptr;
}

std::shared_ptr<const storage::Dictionary> StringArgument::Texts(
    ExpressionWriter& writer, const std::vector<InputColumn>& columns) const {
  if (IsFunction(*string))
    return DictionaryWriter(writer).WriteIdentifier(*string).texts;
  return columns[string->ColumnIndex()].form->GetDictionary();
}

Value StringArgument::Write(ExpressionWriter& writer,
                            const std::vector<InputColumn>& columns) const {
  Value value = IsFunction(*string) ? DictionaryWriter(writer).WriteIdentifier(*string).identifier
                                    : writer.Write(string);
  // Vectors only count strings.
  const InputColumn* text = TextOf(*string, columns);
  if (text != nullptr && !writer.GetDialect().IsVector()) {
    const std::string row = TextWriter(writer).WriteStoredRow(*text);
    value.machine = Machine::Int64;
    value.code = writer.Declare(value.machine, row + " + 1L");
    value.range = value.domain = {
        1, static_cast<Int128>(std::max<uint64_t>(text->TextImage()->Rows(), 1)), true};
  }
  if (condition) {
    writer.GetDialect().RequireRow();
    const std::string is_left_out = "!" + writer.IsTrue(writer.Write(condition));
    value.null = writer.Declare(Machine::Int32, value.CanBeNull()
                                                    ? "(" + value.null + " | " + is_left_out + ")"
                                                    : is_left_out);
  }
  return value;
}

}  // namespace margay::compile
