#include "optimize/value/text_builder.hpp"

#include <algorithm>
#include <set>

#include "kernels/like_pattern.hpp"
#include "optimize/unsupported.hpp"
#include "optimize/value/dictionary_builder.hpp"
#include "storage/dictionary_strings.hpp"

namespace margay::optimize {

using plan::Operation;

namespace {

//! Bytes that text.cl may read behind a constant.
constexpr size_t kConstantSlack = 16;

//! Of a dictionary whose strings are compared: where they are computed, they come with the query.
constexpr size_t kMostDictionaryBytes = size_t{1} << 28;

void RefuseLarge(const storage::Dictionary& dictionary) {
  if (dictionary.Bytes() > kMostDictionaryBytes)
    throw Unsupported("comparing the strings of a dictionary of more than 256 MiB");
}

std::vector<uint8_t> WithSlack(const std::string& text) {
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.resize(bytes.size() + kConstantSlack, 0);
  return bytes;
}

}  // namespace

InputColumn TextBuilder::TextColumn(const plan::Expression& expression) const {
  if (std::optional<InputColumn> column = FindTextColumn(expression, builder_.Context().columns))
    return std::move(*column);
  throw Unsupported("searching the strings of " + expression.ToString() + " row by row");
}

const Node* TextBuilder::BuildConstant(const plan::Constant& constant) {
  graph_.Require("text.cl");
  const size_t bytes = builder_.GetParameters().AddTable(WithSlack(constant.text));
  return graph_.TextConstant(
      bytes, builder_.Integer(static_cast<Int128>(constant.text.size()), Machine::Int32));
}

const Node* TextBuilder::BuildSlice(const plan::Expression& slice, const Node* whole) {
  const Operation operation = slice.GetOperation();
  if (!plan::IsSlice(operation))
    return whole;
  const Node* text = BuildSlice(slice.Operand(0), whole);
  if (operation != Operation::Slice) {
    return graph_.TextTrim(operation == Operation::TrimBegin ? "text_trim_begin" : "text_trim_end",
                           text, BuildConstant(slice.Operand(1).GetConstant()));
  }
  return graph_.TextSlice(text,
                          builder_.Integer(slice.Operand(1).GetConstant().integer, Machine::Int64),
                          builder_.Integer(slice.Operand(2).GetConstant().integer, Machine::Int64));
}

Value TextBuilder::BuildEntry(const Value& code, const storage::Dictionary& dictionary,
                              std::optional<size_t> column) {
  RefuseLarge(dictionary);
  const Node* begin =
      builder_.Integer(static_cast<Int128>(storage::BytesBegin(dictionary)), Machine::Int64);
  const Node* entry = code.CanBeNull()
                          ? graph_.Select(code.null, graph_.Literal(0, Machine::Int32), code.node)
                          : code.node;
  Value text;
  text.null = code.null;
  if (column) {
    text.node = graph_.TextEntry(entry, begin, *column);
  } else {
    const size_t table = builder_.GetParameters().AddTable(storage::PackStrings(dictionary));
    text.node = graph_.TextEntry(entry, begin, graph_.Table(table, "uchar"));
  }
  return text;
}

Value TextBuilder::BuildCoded(const plan::Expression& expression) {
  if (expression.GetOperation() == Operation::Column) {
    const InputColumn& column = builder_.Context().columns[expression.ColumnIndex()];
    return BuildEntry(builder_.ColumnValue(column), *column.form->GetDictionary(),
                      column.image ? std::optional(column.number) : std::nullopt);
  }
  if (expression.GetOperation() != Operation::Dictionary)
    throw Unsupported("comparing the strings of " + expression.ToString() + " row by row");
  const DerivedColumn derived = DictionaryBuilder(builder_).BuildIdentifier(expression);
  return BuildEntry(derived.identifier, *derived.texts, std::nullopt);
}

Value TextBuilder::BuildText(const plan::Expression& expression) {
  if (expression.GetOperation() == Operation::Constant) {
    Value text;
    text.node = BuildConstant(expression.GetConstant());
    text.null = expression.GetConstant().is_null ? graph_.Flag(true) : nullptr;
    return text;
  }
  const std::optional<InputColumn> column = FindTextColumn(expression, builder_.Context().columns);
  if (!column)
    return BuildCoded(expression);
  Value text;
  text.null = builder_.ColumnValue(builder_.Context().columns[column->number]).null;
  text.node = builder_.TextOf(*column);
  return text;
}

Value TextBuilder::BuildLength(const plan::Expression& expression) {
  const InputColumn column = TextColumn(expression.Operand(0));
  const Value text = builder_.Text(expression.Operands()[0]);
  Value value;
  value.range = value.domain = {0, LongestText(column), true};
  value.null = text.null;
  value.node =
      graph_.Call(MachineFor(value.range),
                  expression.GetOperation() == Operation::Length ? "text_characters" : "text_bytes",
                  {text.node});
  return value;
}

Value TextBuilder::BuildHash(const plan::Expression& expression) {
  graph_.Require("text_hash.cl");
  const Value text = builder_.Text(expression.Operands()[0]);
  Value value;
  value.range = value.domain = RangeOf(plan::TypeKind::Int64);
  value.null = text.null;
  value.node = graph_.Call(Machine::Int64, "text_hash", {text.node});
  return value;
}

Value TextBuilder::BuildLike(const plan::Expression& expression) {
  const Value text = builder_.Text(expression.Operands()[0]);
  const std::string& constant = expression.Operand(1).GetConstant().text;
  const kernels::LikePattern pattern = expression.GetOperation() == Operation::Contains
                                           ? kernels::LikePattern::Containing(constant)
                                           : kernels::LikePattern::Parse(constant);
  const size_t table = builder_.GetParameters().AddTable(pattern.Bytes());
  Value value;
  value.range = value.domain = {0, 1, true};
  value.null = text.null;
  value.node = graph_.Like(text.node, graph_.Table(table, "uint"), pattern.HasNeedle());
  return value;
}

Value TextBuilder::Build(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  TextColumn(expression.Operand(0));
  switch (operation) {
    case Operation::Length:
    case Operation::ByteLength:
      return BuildLength(expression);
    case Operation::Like:
    case Operation::Contains:
      return BuildLike(expression);
    default:
      break;
  }
  const Value text = builder_.Text(expression.Operands()[0]);
  Value value;
  value.range = value.domain = {0, 1, true};
  value.null = text.null;
  value.node =
      graph_.Call(Machine::Int32, operation == Operation::Prefix ? "text_prefix" : "text_suffix",
                  {text.node, BuildConstant(expression.Operand(1).GetConstant())});
  return value;
}

Value TextBuilder::BuildIn(const plan::ExpressionPointer& operand,
                           const std::vector<plan::ExpressionPointer>& constants) {
  const Value text = builder_.Text(operand);
  bool has_null = false;
  std::set<std::string> list;  // in the order of bytes
  for (const plan::ExpressionPointer& item : constants) {
    const plan::Constant& constant = item->GetConstant();
    has_null = has_null || constant.is_null;
    if (!constant.is_null)
      list.insert(constant.text);
  }
  std::vector<uint32_t> ends;
  std::string bytes;
  for (const std::string& item : list) {
    bytes += item;
    ends.push_back(static_cast<uint32_t>(bytes.size()));
  }
  Parameters& parameters = builder_.GetParameters();
  const Node* count = builder_.Integer(static_cast<Int128>(ends.size()), Machine::Int32);
  const Node* ends_table = graph_.Table(parameters.AddTable(std::move(ends)), "uint");
  const Node* bytes_table = graph_.Table(parameters.AddTable(WithSlack(bytes)), "uchar");
  Value value;
  value.range = value.domain = {0, 1, true};
  value.node =
      graph_.Call(Machine::Int32, "text_list_holds", {bytes_table, ends_table, count, text.node});
  value.null = text.null;
  if (has_null)
    value.null = builder_.Either(text.null, graph_.Not(value.node));
  return value;
}

Value TextBuilder::BuildComparison(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  const Value a = builder_.Text(expression.Operands()[0]),
              b = builder_.Text(expression.Operands()[1]);
  const Node* is_true = nullptr;
  switch (operation) {
    case Operation::Equal:
    case Operation::NotDistinctFrom:
      is_true = graph_.Call(Machine::Int32, "text_equal", {a.node, b.node});
      break;
    case Operation::NotEqual:
    case Operation::DistinctFrom:
      is_true = graph_.Not(graph_.Call(Machine::Int32, "text_equal", {a.node, b.node}));
      break;
    default:
      is_true = graph_.Compare(std::string(plan::OperationName(operation)),
                               graph_.Call(Machine::Int32, "text_order", {a.node, b.node}),
                               graph_.Literal(0, Machine::Int32));
  }
  return builder_.Compared(operation, is_true, a.null, b.null);
}

}  // namespace margay::optimize
