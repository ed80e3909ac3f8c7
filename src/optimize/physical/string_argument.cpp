#include "optimize/physical/string_argument.hpp"

#include <algorithm>

#include "optimize/unsupported.hpp"
#include "optimize/value/dictionary_builder.hpp"

namespace margay::optimize {

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

StringArgument::Number StringArgument::Build(ValueBuilder& builder) const {
  Number number;
  const auto& columns = builder.Context().columns;
  NodeGraph& graph = builder.Graph();
  number.value = builder.Collect([&] {
    Value value;
    if (IsFunction(*string)) {
      DerivedColumn derived = DictionaryBuilder(builder).BuildIdentifier(*string);
      number.texts = std::move(derived.texts);
      value = std::move(derived.identifier);
    } else {
      value = builder.Build(string);
      number.texts = columns[string->ColumnIndex()].form->GetDictionary();
    }
    if (const InputColumn* text = TextOf(*string, columns)) {
      value.node = graph.Infix(Machine::Int64, "+", graph.TextRow(text->number),
                               graph.Literal(1, Machine::Int64));
      value.range = value.domain = {
          1, static_cast<Int128>(std::max<uint64_t>(text->TextImage()->Rows(), 1)), true};
    }
    if (condition)
      value.null = builder.Either(value.null, graph.Not(builder.IsTrue(builder.Build(condition))));
    return value;
  });
  return number;
}

}  // namespace margay::optimize
