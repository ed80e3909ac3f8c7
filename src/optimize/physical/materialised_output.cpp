#include "optimize/physical/materialised_output.hpp"

#include <algorithm>
#include <string_view>

#include "optimize/estimate/column_comparison.hpp"
#include "optimize/unsupported.hpp"
#include "optimize/value/text_builder.hpp"

namespace margay::optimize {

namespace {

using DictionaryPointer = std::shared_ptr<const storage::Dictionary>;

//! `coded` as a code into `texts`, which has all of its strings.
Value Recode(const CodedText& coded, const storage::Dictionary& texts, ValueBuilder& builder) {
  std::vector<int32_t> codes(std::max<size_t>(coded.texts->Size(), 1), 0);
  for (uint32_t i = 0; i < coded.texts->Size(); i++)
    codes[i] = static_cast<int32_t>(*texts.Find(coded.texts->Value(i)));
  NodeGraph& graph = builder.Graph();
  Value value = coded.code;
  const Node* code = value.CanBeNull()
                         ? graph.Select(value.null, graph.Literal(0, Machine::Int32), value.node)
                         : value.node;
  value.node = graph.Element(Machine::Int32, builder.GetParameters().AddTable(std::move(codes)),
                             "int", code);
  value.range =
      value.domain = {0, std::max<Int128>(static_cast<Int128>(texts.Size()), 1) - 1, true};
  return value;
}

//! The strings of all of `columns` that have a dictionary.
DictionaryPointer Merge(const std::vector<MaterialisedColumn>& columns) {
  const DictionaryPointer& first = columns[0].form->GetDictionary();
  if (std::all_of(columns.begin(), columns.end(),
                  [&](const auto& column) { return column.form->GetDictionary() == first; }))
    return first;
  std::vector<std::string_view> texts;
  for (const MaterialisedColumn& column : columns) {
    const DictionaryPointer& dictionary = column.form->GetDictionary();
    const auto middle = static_cast<ptrdiff_t>(texts.size());
    for (uint32_t i = 0; i < dictionary->Size(); i++)
      texts.push_back(dictionary->Value(i));
    std::inplace_merge(texts.begin(), texts.begin() + middle, texts.end());
  }
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return std::make_shared<const storage::Dictionary>(texts);
}

bool IsNothingButNull(const MaterialisedColumn& column) {
  const DictionaryPointer& dictionary = column.form->GetDictionary();
  return dictionary && dictionary->Size() == 0;
}

//! Whether the strings of both are those of one text column, whole or sliced alike, or of none.
bool ReferAlike(const storage::ColumnForm& left, const storage::ColumnForm& right) {
  const plan::ExpressionPointer &one = left.TextSlice(), &other = right.TextSlice();
  return left.TextSource() == right.TextSource() &&
         (one && other ? plan::SameExpression(*one, *other) : one == other);
}

//! The form of strings that are rows of a text column, which those of all of `columns` are; null
//! where they have dictionaries.
std::shared_ptr<const storage::ColumnForm> TextFormOf(
    const std::vector<MaterialisedColumn>& columns) {
  std::shared_ptr<const storage::ColumnForm> form;
  for (const MaterialisedColumn& column : columns)
    form = column.form->TextSource() ? column.form : form;
  for (const MaterialisedColumn& column : columns) {
    if (form && !ReferAlike(*column.form, *form) && !IsNothingButNull(column))
      throw Unsupported(
          "a union of strings of different columns, one of which has too many different strings "
          "for a dictionary");
  }
  return form;
}

//! The values of `range`, that of `expression`, for which `conjunct` can hold.
Range Narrowed(const Range& range, const plan::Expression& expression,
               const plan::Expression& conjunct) {
  const plan::Operation operation = conjunct.GetOperation();
  // The first partition of a plan holds NULL, too.
  if (operation == plan::Operation::Or && conjunct.Operands().size() == 2 &&
      conjunct.Operand(1).GetOperation() == plan::Operation::IsNull &&
      SameExpression(conjunct.Operand(1).Operand(0), expression))
    return Narrowed(range, expression, conjunct.Operand(0));
  const auto compared = ComparesOrder(operation) ? ColumnComparison::Of(conjunct) : std::nullopt;
  if (!compared || !SameExpression(*compared->column, expression) ||
      compared->constant->GetConstant().is_null)
    return range;
  const Int128 bound = compared->constant->GetConstant().integer;
  Range narrowed = range;
  if (compared->KeepsBelow(operation))
    narrowed.high = std::min(range.high, bound);
  else
    narrowed.low = std::max(range.low, bound);
  return narrowed.low <= narrowed.high ? narrowed : range;
}

}  // namespace

MaterialisedColumn MaterialiseOutput(const plan::ExpressionPointer& expression,
                                     const MaterialisedSize& rows,
                                     const std::vector<plan::ExpressionPointer>& conjuncts,
                                     ValueBuilder& builder) {
  const std::vector<InputColumn>& columns = builder.Context().columns;
  const plan::Type& type = expression->GetType();
  // The host, which computes functions of the text of a result, does not see these rows.
  if (expression->GetOperation() == plan::Operation::Dictionary &&
      FindTextColumn(expression->Operand(0), columns))
    throw Unsupported("keeping " + expression->ToString() + " of text on the device");
  if (!type.IsVarchar()) {
    const Value value = builder.Build(expression);
    Range range = value.range;
    for (const plan::ExpressionPointer& conjunct : conjuncts)
      range = Narrowed(range, *expression, *conjunct);
    return MaterialiseColumn(type, range, value.CanBeNull(), nullptr, rows, 0);
  }
  if (const auto text = FindTextColumn(*expression, columns))
    return MaterialiseText(*text, builder.Build(expression).CanBeNull(), rows);
  const CodedText coded = BuildCode(expression, builder);
  return MaterialiseColumn(type, coded.code.range, coded.code.CanBeNull(), coded.texts, rows, 0);
}

MaterialisedColumn Concatenation(const std::vector<MaterialisedColumn>& columns) {
  MaterialisedSize rows;
  bool can_be_null = false;
  Range range{columns[0].form->Statistics().min, columns[0].form->Statistics().max, true};
  for (const MaterialisedColumn& column : columns) {
    rows.most = std::min(rows.most + column.form->Rows(), kMostEntries);
    rows.expected += column.form->ExpectedRows();
    range = range.Union({column.form->Statistics().min, column.form->Statistics().max, true});
    can_be_null = can_be_null || column.form->HasValidity();
  }
  const plan::Type& type = columns[0].form->Type();
  if (!type.IsVarchar())
    return MaterialiseColumn(type, range, can_be_null, nullptr, rows, 0);
  if (auto form = TextFormOf(columns)) {
    InputColumn text;
    text.form = std::move(form);
    return MaterialiseText(text, can_be_null, rows);
  }
  DictionaryPointer texts = Merge(columns);
  range = {0, std::max<Int128>(static_cast<Int128>(texts->Size()), 1) - 1, true};
  return MaterialiseColumn(type, range, can_be_null, std::move(texts), rows, 0);
}

bool AreStoredAlike(const MaterialisedColumn& left, const MaterialisedColumn& right) {
  return left.stored == right.stored && left.form->HasValidity() == right.form->HasValidity() &&
         left.form->GetDictionary() == right.form->GetDictionary() &&
         ReferAlike(*left.form, *right.form);
}

RowOutput RowOutputOf(const plan::ExpressionPointer& expression, const MaterialisedColumn& column,
                      ValueBuilder& builder) {
  RowOutput output = OutputOf(column);
  output.has_validity_bits = false;
  if (!expression->GetType().IsVarchar()) {
    output.value = builder.Build(expression);
    return output;
  }
  if (const auto text = FindTextColumn(*expression, builder.Context().columns)) {
    output.value = builder.Build(expression);
    output.value.node = builder.Graph().TextRow(text->number);
    return output;
  }
  const CodedText coded = BuildCode(expression, builder);
  const DictionaryPointer& texts = column.form->GetDictionary();
  // Without a dictionary the column is text, and the string NULL.
  output.value = !texts || texts == coded.texts ? coded.code : Recode(coded, *texts, builder);
  return output;
}

}  // namespace margay::optimize
