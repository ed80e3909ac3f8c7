#include "compile/text_writer.hpp"

#include <algorithm>
#include <set>

#include "compile/refusal.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

using plan::Operation;

namespace {

//! Bytes that text.cl may read behind a constant.
constexpr size_t kConstantSlack = 16;

//! `column`, or the column whose rows its values are, with its number.
InputColumn TextColumnOf(const InputColumn& column) {
  InputColumn text = column;
  if (column.RefersToText())
    text.form = text.image = column.TextImage();
  return text;
}

std::string CompareTexts(Operation operation, const std::string& a, const std::string& b) {
  const std::string arguments = "(" + a + ", " + b + ")";
  switch (operation) {
    case Operation::Equal:
    case Operation::NotDistinctFrom:
      return "text_equal" + arguments;
    case Operation::NotEqual:
    case Operation::DistinctFrom:
      return "!text_equal" + arguments;
    default:
      return "(text_order" + arguments + " " + std::string(plan::OperationName(operation)) + " 0)";
  }
}

}  // namespace

bool IsLike(const plan::Expression& expression) {
  return (expression.GetOperation() == Operation::Like ||
          expression.GetOperation() == Operation::Contains) &&
         expression.Operand(0).GetOperation() == Operation::Column;
}

kernels::LikePattern LikePatternOf(const plan::Expression& like) {
  const std::string& text = like.Operand(1).GetConstant().text;
  return like.GetOperation() == Operation::Contains ? kernels::LikePattern::Containing(text)
                                                    : kernels::LikePattern::Parse(text);
}

std::string PatternCode(const plan::Expression& like, Parameters& parameters) {
  const std::vector<uint8_t> bytes = LikePatternOf(like).Bytes();
  return "(__global const uint*)(lookups + " + parameters.AddLookup(bytes.data(), bytes.size()) +
         ")";
}

Int128 TextWriter::LongestText(const InputColumn& column) {
  uint32_t longest = 0;
  for (const storage::SegmentStatistics& segment : TextColumnOf(column).form->Segments())
    longest = std::max(longest, segment.longest_text);
  return longest;
}

const InputColumn& TextWriter::TextColumn(const plan::Expression& expression) const {
  if (const InputColumn* column = FindTextColumn(expression, writer_.context_.columns))
    return *column;
  throw Unsupported("comparing or searching the strings of " + expression.ToString() +
                    " row by row");
}

bool TextWriter::IsScanned(const InputColumn& column) const {
  return column.table == writer_.context_.table && column.HoldsText();
}

std::string TextWriter::DeclareOnce(const std::string& type, const std::string& name,
                                    const std::string& code) {
  auto [entry, is_new] = writer_.written_.try_emplace(name);
  if (is_new) {
    entry->second.code = "v" + std::to_string(writer_.context_.variables++);
    writer_.block_.Line("const " + type + " " + entry->second.code + " = " + code + ";");
  }
  return entry->second.code;
}

std::string TextWriter::WriteRow(const InputColumn& column) {
  if (IsScanned(column))
    return "(int)(table_first + row)";
  if (column.HoldsText())
    return JoinedRow(column.table);
  std::string code;
  if (column.table == writer_.context_.table) {
    code = "(int)" + writer_.reader_.Encoded(column, 0);
  } else {
    // A table without rows has nothing to read in place of a missing one.
    const bool can_be_missing = writer_.context_.missing_tables.count(column.table) != 0;
    const GatherReader reader(writer_.context_.parameters, can_be_missing);
    code = "(int)" + reader.Encoded(column, 0);
    if (can_be_missing)
      code = JoinedRow(column.table) + " < 0 ? 0 : " + code;
  }
  return DeclareOnce("int", "text row of " + std::to_string(column.number), code);
}

GatherReader TextWriter::EndsReader(const InputColumn& column) {
  if (column.RefersToText())
    return {writer_.context_.parameters, WriteRow(column)};
  return {writer_.context_.parameters, writer_.context_.missing_tables.count(column.table) != 0};
}

TextWriter::Bounds TextWriter::BoundsOf(const InputColumn& column, const GatherReader& reader) {
  const InputColumn text = TextColumnOf(column);
  const std::string ends = reader.Extent(text, column.RefersToText() ? "ends" : "column");
  const std::string row = reader.RowInExtent(text);
  return {"(" + row + " % " + std::to_string(storage::kSegmentRows) + " == 0 ? 0 : " + ends + "[" +
              row + " - 1])",
          ends + "[" + row + "]"};
}

TextWriter::Bounds TextWriter::WriteBounds(const InputColumn& column) {
  const std::string number = std::to_string(column.number);
  const Bounds bounds =
      IsScanned(column) ? Bounds{"row == 0 ? 0 : c" + number + "[row - 1]", "c" + number + "[row]"}
                        : BoundsOf(column, EndsReader(column));
  return {DeclareOnce("uint", "begin of " + number, bounds.begin),
          DeclareOnce("uint", "end of " + number, bounds.end)};
}

TextWriter::Bounds TextWriter::WriteBoundsAt(const InputColumn& column, const std::string& row) {
  const Bounds bounds = BoundsOf(column, GatherReader(writer_.context_.parameters, row));
  return {DeclareOnce("uint", "begin of " + bounds.begin, bounds.begin),
          DeclareOnce("uint", "end of " + bounds.end, bounds.end)};
}

std::string TextWriter::SegmentText(const InputColumn& column, const GatherReader& reader) {
  const InputColumn text = TextColumnOf(column);
  if (text.form->TextExtentCount() > 1) {
    throw Unsupported("the text of " + column.name +
                      ", whose rows are found by their numbers, in more than one extent");
  }
  return "text" + std::to_string(column.number) + " + " + reader.Base(text);
}

std::string TextWriter::WriteBytes(const InputColumn& column) {
  const Bounds bounds = WriteBounds(column);
  const std::string segment = IsScanned(column) ? "t" + std::to_string(column.number)
                                                : SegmentText(column, EndsReader(column));
  return segment + " + " + bounds.begin + ", " + bounds.end + " - " + bounds.begin;
}

std::string TextWriter::BytesAt(const InputColumn& column, const std::string& row) {
  const GatherReader reader(writer_.context_.parameters, row);
  const Bounds bounds = BoundsOf(column, reader);
  return SegmentText(column, reader) + " + " + bounds.begin + ", " + bounds.end + " - " +
         bounds.begin;
}

TextWriter::Text TextWriter::WriteText(const plan::Expression& expression) {
  if (expression.GetOperation() == Operation::Constant) {
    const plan::Constant& constant = expression.GetConstant();
    auto& parameters = writer_.context_.parameters;
    std::string bytes = constant.text;
    bytes.append(kConstantSlack, '\0');
    const std::string offset = parameters.AddLookup(bytes.data(), bytes.size());
    const std::string length =
        parameters.AddInteger(static_cast<Int128>(constant.text.size()), Machine::Int64);
    return {"lookups + " + offset + ", (uint)" + length, constant.is_null ? "1" : ""};
  }
  const InputColumn& column = TextColumn(expression);
  return {WriteBytes(column), writer_.WriteColumn(expression).null};
}

Value TextWriter::WriteLength(const plan::Expression& expression) {
  const InputColumn& column = TextColumn(expression.Operand(0));
  const Text text = WriteText(expression.Operand(0));
  const Bounds bounds = WriteBounds(column);
  Value value;
  value.range = value.domain = {0, LongestText(column), true};
  value.machine = MachineFor(value.range);
  value.null = text.null;
  value.code = writer_.Declare(value.machine, expression.GetOperation() == Operation::Length
                                                  ? "text_characters(" + text.code + ")"
                                                  : bounds.end + " - " + bounds.begin);
  return value;
}

Value TextWriter::Write(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  if (operation == Operation::Length || operation == Operation::ByteLength)
    return WriteLength(expression);
  Value value;
  value.range = value.domain = {0, 1, true};
  const InputColumn& column = TextColumn(expression.Operand(0));
  std::string code = writer_.context_.searches.Find(expression);
  if (!code.empty()) {
    if (column.form->HasValidity())
      value.null = writer_.DeclareFlag(writer_.reader_.IsNull(column));
    value.code = writer_.DeclareFlag(code);
    return value;
  }
  const Text text = WriteText(expression.Operand(0));
  value.null = text.null;
  if (operation == Operation::Like || operation == Operation::Contains) {
    code = "text_like(" + text.code + ", " + PatternCode(expression, writer_.context_.parameters) +
           ")";
  } else {
    code = std::string(operation == Operation::Prefix ? "text_prefix(" : "text_suffix(") +
           text.code + ", " + WriteText(expression.Operand(1)).code + ")";
  }
  value.code = writer_.DeclareFlag(code);
  return value;
}

Value TextWriter::WriteIn(const plan::Expression& operand,
                          const std::vector<plan::ExpressionPointer>& constants) {
  const Text text = WriteText(operand);
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
  bytes.append(kConstantSlack, '\0');
  auto& parameters = writer_.context_.parameters;
  const std::string ends_offset = parameters.AddLookup(ends.data(), ends.size() * sizeof(uint32_t));
  const std::string bytes_offset = parameters.AddLookup(bytes.data(), bytes.size());
  const std::string count = parameters.AddInteger(static_cast<Int128>(ends.size()), Machine::Int32);
  Value value;
  value.range = value.domain = {0, 1, true};
  value.code = writer_.DeclareFlag("text_list_holds(lookups + " + bytes_offset +
                                   ", (__global const uint*)(lookups + " + ends_offset +
                                   "), (uint)" + count + ", " + text.code + ")");
  value.null = text.null;
  if (has_null)
    value.null = writer_.EitherNull(text.null, writer_.DeclareFlag("!" + value.code));
  return value;
}

Value TextWriter::WriteComparison(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  const Text a = WriteText(expression.Operand(0)), b = WriteText(expression.Operand(1));
  Value value;
  value.range = value.domain = {0, 1, true};
  const std::string code = CompareTexts(operation, a.code, b.code);
  const bool nulls_are_values =
      operation == Operation::DistinctFrom || operation == Operation::NotDistinctFrom;
  if (!nulls_are_values || (a.null.empty() && b.null.empty())) {
    value.code = writer_.DeclareFlag(code);
    value.null = writer_.EitherNull(a.null, b.null);
    return value;
  }
  const std::string a_null = a.null.empty() ? "0" : a.null, b_null = b.null.empty() ? "0" : b.null;
  value.code = writer_.DeclareFlag("(" + a_null + " | " + b_null + ") ? (" + a_null +
                                   (operation == Operation::NotDistinctFrom ? " == " : " != ") +
                                   b_null + ") : " + code);
  return value;
}

}  // namespace margay::compile
