#include "optimize/physical/row_output.hpp"

#include <algorithm>

#include "optimize/unsupported.hpp"
#include "optimize/value/dictionary_builder.hpp"

namespace margay::optimize {

namespace {

//! Whether `expression` is a function of strings of which each is computed once.
bool IsDictionary(const plan::Expression& expression) {
  return expression.GetOperation() == plan::Operation::Dictionary;
}

//! `expression`, or the column that it is a dictionary function of.
const plan::ExpressionPointer& Argument(const plan::ExpressionPointer& expression) {
  return IsDictionary(*expression) ? expression->Operands()[0] : expression;
}

//! The text column that `expression` is, or is a slice of, by its place among `columns`.
std::optional<size_t> TextColumnOf(const plan::Expression& expression,
                                   const std::vector<InputColumn>& columns) {
  if (plan::IsSlice(expression.GetOperation()))
    return TextColumnOf(expression.Operand(0), columns);
  if (expression.GetOperation() != plan::Operation::Column)
    return std::nullopt;
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const InputColumn& column) {
    return column.number == expression.ColumnIndex() && column.IsText();
  });
  if (found == columns.end())
    return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

//! A constant string: the one that its dictionary has.
CodedText ConstantCode(const plan::Constant& constant, NodeGraph& graph) {
  CodedText coded;
  coded.code.node = graph.Literal(0, Machine::Int32);
  coded.code.range = coded.code.domain = Range::Of(0);
  std::vector<std::string_view> texts;
  if (constant.is_null)
    coded.code.null = graph.Flag(true);
  else
    texts.push_back(constant.text);
  coded.texts = std::make_shared<const storage::Dictionary>(texts);
  return coded;
}

}  // namespace

CodedText BuildCode(const plan::ExpressionPointer& expression, ValueBuilder& builder) {
  switch (expression->GetOperation()) {
    case plan::Operation::Constant:
      return ConstantCode(expression->GetConstant(), builder.Graph());
    case plan::Operation::Column:
      return {builder.Build(expression),
              builder.Context().columns[expression->ColumnIndex()].form->GetDictionary()};
    case plan::Operation::Dictionary: {
      CodedText coded;
      coded.code = builder.Collect([&] {
        DerivedColumn derived = DictionaryBuilder(builder).BuildIdentifier(*expression);
        coded.texts = std::move(derived.texts);
        return derived.identifier;
      });
      return coded;
    }
    default:
      throw Unsupported("the computed string " + expression->ToString());
  }
}

RowOutput RowOutput::Of(const plan::ExpressionPointer& expression,
                        const std::vector<InputColumn>& columns, ValueBuilder& builder) {
  RowOutput output;
  output.type = expression->GetType();
  output.text_column = TextColumnOf(*Argument(expression), columns);
  if (output.text_column) {
    const InputColumn& column = columns[*output.text_column];
    output.has_text_row = column.table != builder.Context().table || column.RefersToText();
    if (IsDictionary(*expression))
      output.function = expression->FunctionPointer();
    output.value = builder.Build(Argument(expression));
    output.string = builder.TextOf(Sliced(column, *Argument(expression)));
  } else if (output.type.IsVarchar()) {
    CodedText coded = BuildCode(expression, builder);
    output.texts = std::move(coded.texts);
    output.value = std::move(coded.code);
  } else {
    output.value = builder.Build(expression);
  }
  output.can_be_null = output.value.CanBeNull();
  return output;
}

}  // namespace margay::optimize
