#include "compile/kept_rows.hpp"

#include <algorithm>
#include <string_view>

#include "compile/column_comparison.hpp"
#include "compile/refusal.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

namespace {

using DictionaryPointer = std::shared_ptr<const storage::Dictionary>;

//! `coded` as a code into `texts`, which has all of its strings.
Value Recode(const CodedText& coded, const storage::Dictionary& texts, ExpressionWriter& writer,
             KernelContext& context) {
  std::vector<int32_t> codes(std::max<size_t>(coded.texts->Size(), 1), 0);
  for (uint32_t i = 0; i < coded.texts->Size(); i++)
    codes[i] = static_cast<int32_t>(*texts.Find(coded.texts->Value(i)));
  const std::string offset =
      context.parameters.AddLookup(codes.data(), codes.size() * sizeof(int32_t));
  const std::string code =
      coded.code.CanBeNull()
          ? writer.Declare(Machine::Int32, coded.code.null + " ? 0 : " + coded.code.code)
          : coded.code.code;
  Value value = coded.code;
  value.machine = Machine::Int32;
  value.code = writer.Declare(Machine::Int32,
                              "((__global const int*)(lookups + " + offset + "))[" + code + "]");
  value.range =
      value.domain = {0, std::max<Int128>(static_cast<Int128>(texts.Size()), 1) - 1, true};
  return value;
}

//! The strings of all of `columns` that have a dictionary.
DictionaryPointer Merge(const std::vector<KeptColumn>& columns) {
  const DictionaryPointer& first = columns[0].form->GetDictionary();
  if (std::all_of(columns.begin(), columns.end(),
                  [&](const auto& column) { return column.form->GetDictionary() == first; }))
    return first;
  std::vector<std::string_view> texts;
  for (const KeptColumn& column : columns) {
    const DictionaryPointer& dictionary = column.form->GetDictionary();
    const auto middle = static_cast<ptrdiff_t>(texts.size());
    for (uint32_t i = 0; i < dictionary->Size(); i++)
      texts.push_back(dictionary->Value(i));
    std::inplace_merge(texts.begin(), texts.begin() + middle, texts.end());
  }
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return std::make_shared<const storage::Dictionary>(texts);
}

bool IsNothingButNull(const KeptColumn& column) {
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
std::shared_ptr<const storage::ColumnForm> TextFormOf(const std::vector<KeptColumn>& columns) {
  std::shared_ptr<const storage::ColumnForm> form;
  for (const KeptColumn& column : columns)
    form = column.form->TextSource() ? column.form : form;
  for (const KeptColumn& column : columns) {
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

KeptColumn KeepOutput(const plan::ExpressionPointer& expression, const KeptSize& rows,
                      const std::vector<plan::ExpressionPointer>& conjuncts,
                      KernelContext scratch) {
  CodeBlock block;  // of code that is thrown away
  const DirectReader reader;
  ExpressionWriter writer(scratch, reader, block);
  const plan::Type& type = expression->GetType();
  // The host, which computes functions of the text of a result, does not see these rows.
  if (expression->GetOperation() == plan::Operation::Dictionary &&
      FindTextColumn(expression->Operand(0), scratch.columns))
    throw Unsupported("keeping " + expression->ToString() + " of text on the device");
  if (!type.IsVarchar()) {
    Value value = writer.Write(expression);
    for (const plan::ExpressionPointer& conjunct : conjuncts)
      value.range = Narrowed(value.range, *expression, *conjunct);
    return KeepColumn(type, value, nullptr, rows, 0);
  }
  if (const auto text = FindTextColumn(*expression, scratch.columns))
    return KeepText(*text, writer.Write(expression).CanBeNull(), rows);
  const CodedText coded = WriteCode(expression, writer, scratch);
  return KeepColumn(type, coded.code, coded.texts, rows, 0);
}

KeptColumn Concatenation(const std::vector<KeptColumn>& columns) {
  KeptSize rows;
  Value value;
  value.range = {columns[0].form->Statistics().min, columns[0].form->Statistics().max, true};
  for (const KeptColumn& column : columns) {
    rows.most = std::min(rows.most + column.form->Rows(), kMostEntries);
    rows.expected += column.form->ExpectedRows();
    value.range =
        value.range.Union({column.form->Statistics().min, column.form->Statistics().max, true});
    if (column.form->HasValidity())
      value.null = "1";
  }
  const plan::Type& type = columns[0].form->Type();
  if (!type.IsVarchar())
    return KeepColumn(type, value, nullptr, rows, 0);
  if (auto form = TextFormOf(columns)) {
    InputColumn text;
    text.form = std::move(form);
    return KeepText(text, value.CanBeNull(), rows);
  }
  DictionaryPointer texts = Merge(columns);
  value.range = {0, std::max<Int128>(static_cast<Int128>(texts->Size()), 1) - 1, true};
  return KeepColumn(type, value, std::move(texts), rows, 0);
}

bool AreStoredAlike(const KeptColumn& left, const KeptColumn& right) {
  return left.stored == right.stored && left.form->HasValidity() == right.form->HasValidity() &&
         left.form->GetDictionary() == right.form->GetDictionary() &&
         ReferAlike(*left.form, *right.form);
}

RowOutput RowOutputOf(const KeptColumn& column) {
  RowOutput output = OutputOf(column);
  output.has_validity_bits = false;
  return output;
}

Value WriteKept(const plan::ExpressionPointer& expression, const KeptColumn& column,
                ExpressionWriter& writer, KernelContext& context) {
  if (!expression->GetType().IsVarchar())
    return writer.Write(expression);
  if (const auto text = FindTextColumn(*expression, context.columns)) {
    Value value = writer.Write(expression);
    value.machine = Machine::Int32;
    value.code = writer.Declare(Machine::Int32, TextWriter(writer).WriteStoredRow(*text));
    return value;
  }
  CodedText coded = WriteCode(expression, writer, context);
  const DictionaryPointer& texts = column.form->GetDictionary();
  // Without a dictionary the column is text, and the string NULL.
  if (!texts || texts == coded.texts)
    return std::move(coded.code);
  return Recode(coded, *texts, writer, context);
}

}  // namespace margay::compile
