#include "compile/text_writer.hpp"

#include <algorithm>
#include <set>

#include "compile/dictionary_writer.hpp"
#include "compile/refusal.hpp"
#include "storage/constants.hpp"
#include "storage/dictionary_strings.hpp"

namespace margay::compile {

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

//! Of one character.
constexpr Int128 kMostCharacterBytes = 4;

//! Most bytes of a slice, as far as the slice tells.
Int128 MostBytes(const plan::Expression& slice) {
  if (!plan::IsSlice(slice.GetOperation()))
    return INT64_MAX;
  const Int128 most = MostBytes(slice.Operand(0));
  if (slice.GetOperation() != Operation::Slice)
    return most;
  const Int128 begin = slice.Operand(1).GetConstant().integer;
  const Int128 end = slice.Operand(2).GetConstant().integer;
  // Places from one end are apart as they say, and none is behind the end.
  if ((begin < 0) == (end < 0))
    return std::min(most, std::max<Int128>(end - begin, 0) * kMostCharacterBytes);
  return begin < 0 ? std::min(most, -begin * kMostCharacterBytes) : most;
}

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

TextWriter::TextWriter(ExpressionWriter& writer) : writer_(writer) {
  writer.GetDialect().RequireRow();
  writer.context_.sources.insert("text.cl");
}

std::string TextWriter::Text::Arguments() const {
  return bounds.begin.empty()
             ? address + ", " + bounds.end
             : address + " + " + bounds.begin + ", " + bounds.end + " - " + bounds.begin;
}

Int128 TextWriter::LongestText(const InputColumn& column) {
  uint32_t longest = 0;
  for (const storage::SegmentStatistics& segment : TextColumnOf(column).form->Segments())
    longest = std::max(longest, segment.longest_text);
  return column.Slice() ? std::min<Int128>(longest, MostBytes(*column.Slice())) : longest;
}

InputColumn TextWriter::TextColumn(const plan::Expression& expression) const {
  if (std::optional<InputColumn> column = FindTextColumn(expression, writer_.context_.columns))
    return std::move(*column);
  throw Unsupported("searching the strings of " + expression.ToString() + " row by row");
}

bool TextWriter::IsScanned(const InputColumn& column) const {
  return column.table == writer_.context_.table && column.HoldsText();
}

std::string TextWriter::Declare(const std::string& type, const std::string& code) {
  const std::string name = "v" + std::to_string(writer_.context_.variables++);
  writer_.block_.Line("const " + type + " " + name + " = " + code + ";");
  return name;
}

std::string TextWriter::DeclareOnce(const std::string& type, const std::string& name,
                                    const std::string& code) {
  auto [entry, is_new] = writer_.written_.try_emplace(name);
  if (is_new)
    entry->second.code = Declare(type, code);
  return entry->second.code;
}

template <typename Make>
TextWriter::Bounds TextWriter::DeclareBounds(const std::string& name, const Make& make) {
  const std::string begin = "begin of " + name, end = "end of " + name;
  if (const auto found = writer_.written_.find(begin); found != writer_.written_.end())
    return {found->second.code, writer_.written_.at(end).code};
  const Bounds bounds = make();
  return {DeclareOnce("uint", begin, bounds.begin), DeclareOnce("uint", end, bounds.end)};
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
  const Bounds whole = DeclareBounds(number, [&]() -> Bounds {
    if (IsScanned(column))
      return {"row == 0 ? 0 : c" + number + "[row - 1]", "c" + number + "[row]"};
    return BoundsOf(column, EndsReader(column));
  });
  if (!column.Slice())
    return whole;
  return DeclareBounds(number + ", " + column.Slice()->ToString(),
                       [&] { return WriteSlice(*column.Slice(), WriteAddress(column), whole); });
}

TextWriter::Bounds TextWriter::WriteBoundsAt(const InputColumn& column, const std::string& row) {
  const GatherReader reader(writer_.context_.parameters, row);
  const Bounds inlined = BoundsOf(column, reader);
  const Bounds whole = DeclareBounds(inlined.end, [&] { return inlined; });
  if (!column.Slice())
    return whole;
  return WriteSlice(*column.Slice(), SegmentText(column, reader), whole);
}

std::string TextWriter::SegmentText(const InputColumn& column, const GatherReader& reader) {
  const InputColumn text = TextColumnOf(column);
  return reader.TextExtent(text) + " + " + reader.Base(text);
}

std::string TextWriter::WriteAddress(const InputColumn& column) {
  return IsScanned(column) ? "t" + std::to_string(column.number)
                           : SegmentText(column, EndsReader(column));
}

TextWriter::Bounds TextWriter::WriteSlice(const plan::Expression& slice, const std::string& address,
                                          Bounds whole) {
  const Operation operation = slice.GetOperation();
  if (!plan::IsSlice(operation))
    return whole;
  writer_.context_.sources.insert("text_slice.cl");
  const Text text{address, WriteSlice(slice.Operand(0), address, std::move(whole)), {}};
  std::string call;
  if (operation == Operation::Slice) {
    call = "text_slice(" + text.Arguments();
    for (size_t i : {1, 2}) {
      call += ", " + writer_.context_.parameters.AddInteger(slice.Operand(i).GetConstant().integer,
                                                            Machine::Int64);
    }
  } else {
    call = (operation == Operation::TrimBegin ? "text_trim_begin(" : "text_trim_end(") +
           text.Arguments() + ", " + WriteConstant(slice.Operand(1).GetConstant()).Arguments();
  }
  const std::string places = Declare("uint2", call + ")");
  const std::string from = text.bounds.begin.empty() ? "" : text.bounds.begin + " + ";
  return {Declare("uint", from + places + ".x"), Declare("uint", from + places + ".y")};
}

std::string TextWriter::WriteBytes(const InputColumn& column) {
  return Text{WriteAddress(column), WriteBounds(column), {}}.Arguments();
}

std::string TextWriter::WriteBytesAt(const InputColumn& column, const std::string& row) {
  const GatherReader reader(writer_.context_.parameters, row);
  Text text{SegmentText(column, reader), BoundsOf(column, reader), {}};
  if (column.Slice()) {
    const Bounds whole{Declare("uint", text.bounds.begin), Declare("uint", text.bounds.end)};
    text.bounds = WriteSlice(*column.Slice(), text.address, whole);
  }
  return text.Arguments();
}

TextWriter::Text TextWriter::WriteConstant(const plan::Constant& constant) {
  auto& parameters = writer_.context_.parameters;
  std::string bytes = constant.text;
  bytes.append(kConstantSlack, '\0');
  const std::string offset = parameters.AddLookup(bytes.data(), bytes.size());
  const std::string length =
      parameters.AddInteger(static_cast<Int128>(constant.text.size()), Machine::Int64);
  return {"lookups + " + offset, {"", "(uint)" + length}, constant.is_null ? "1" : ""};
}

std::string TextWriter::WriteStrings(const InputColumn& column) {
  if (!column.image)
    return WriteStrings(*column.form->GetDictionary());
  RefuseLarge(*column.form->GetDictionary());
  auto& columns = writer_.context_.string_columns;
  if (std::none_of(columns.begin(), columns.end(),
                   [&](const InputColumn& other) { return other.number == column.number; }))
    columns.push_back(column);
  return StringsArgument(column);
}

std::string TextWriter::WriteStrings(const storage::Dictionary& computed) {
  RefuseLarge(computed);
  const std::vector<uint8_t> strings = storage::PackStrings(computed);
  return "(lookups + " + writer_.context_.parameters.AddLookup(strings.data(), strings.size()) +
         ")";
}

TextWriter::Text TextWriter::WriteEntry(const Value& code, const storage::Dictionary& dictionary,
                                        const std::string& strings) {
  const std::string ends = "((__global const uint*)" + strings + ")";
  const std::string begin = writer_.context_.parameters.AddInteger(
      static_cast<Int128>(storage::BytesBegin(dictionary)), Machine::Int64);
  const std::string entry =
      Declare("int", code.CanBeNull() ? code.null + " ? 0 : " + code.code : code.code);
  return {strings + " + " + begin,
          {Declare("uint", entry + " == 0 ? 0 : " + ends + "[" + entry + " - 1]"),
           Declare("uint", ends + "[" + entry + "]")},
          code.null};
}

TextWriter::Text TextWriter::WriteCoded(const plan::Expression& expression) {
  // A fault of a computed string counts where it is computed.
  const std::string name = writer_.Name(expression);
  if (const auto found = writer_.written_.find("text of " + name);
      found != writer_.written_.end()) {
    return {
        found->second.code,
        {writer_.written_.at("begin of " + name).code, writer_.written_.at("end of " + name).code},
        found->second.null};
  }
  Text text;
  if (expression.GetOperation() == Operation::Column) {
    const InputColumn& column = writer_.context_.columns[expression.ColumnIndex()];
    text = WriteEntry(writer_.WriteColumn(expression), *column.form->GetDictionary(),
                      WriteStrings(column));
  } else if (expression.GetOperation() == Operation::Dictionary) {
    const DerivedColumn derived = DictionaryWriter(writer_).WriteIdentifier(expression);
    text = WriteEntry(derived.identifier, *derived.texts, WriteStrings(*derived.texts));
  } else {
    throw Unsupported("comparing the strings of " + expression.ToString() + " row by row");
  }
  Value& value = writer_.written_["text of " + name];
  value.code = text.address;
  value.null = text.null;
  writer_.written_["begin of " + name].code = text.bounds.begin;
  writer_.written_["end of " + name].code = text.bounds.end;
  return text;
}

TextWriter::Text TextWriter::WriteText(const plan::Expression& expression) {
  if (expression.GetOperation() == Operation::Constant)
    return WriteConstant(expression.GetConstant());
  const std::optional<InputColumn> column = FindTextColumn(expression, writer_.context_.columns);
  if (!column)
    return WriteCoded(expression);
  const Value value = writer_.Write(
      plan::Expression::Column(column->number, plan::TypeKind::Varchar, column->name));
  return {WriteAddress(*column), WriteBounds(*column), value.null};
}

Value TextWriter::WriteLength(const plan::Expression& expression) {
  const InputColumn column = TextColumn(expression.Operand(0));
  const Text text = WriteText(expression.Operand(0));
  Value value;
  value.range = value.domain = {0, LongestText(column), true};
  value.machine = MachineFor(value.range);
  value.null = text.null;
  value.code = writer_.Declare(value.machine, expression.GetOperation() == Operation::Length
                                                  ? "text_characters(" + text.Arguments() + ")"
                                                  : text.bounds.end + " - " + text.bounds.begin);
  return value;
}

Value TextWriter::WriteHash(const plan::Expression& expression) {
  writer_.context_.sources.insert("text_hash.cl");
  const Text text = WriteText(expression.Operand(0));
  Value value;
  value.machine = Machine::Int64;
  value.range = value.domain = RangeOf(plan::TypeKind::Int64);
  value.null = text.null;
  value.code = writer_.Declare(value.machine, "(long)text_hash(" + text.Arguments() + ")");
  return value;
}

Value TextWriter::Write(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  if (operation == Operation::Length || operation == Operation::ByteLength)
    return WriteLength(expression);
  Value value;
  value.range = value.domain = {0, 1, true};
  const InputColumn column = TextColumn(expression.Operand(0));
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
    code = "text_like(" + text.Arguments() + ", " +
           PatternCode(expression, writer_.context_.parameters) + ")";
  } else {
    code = std::string(operation == Operation::Prefix ? "text_prefix(" : "text_suffix(") +
           text.Arguments() + ", " +
           WriteConstant(expression.Operand(1).GetConstant()).Arguments() + ")";
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
                                   "), (uint)" + count + ", " + text.Arguments() + ")");
  value.null = text.null;
  if (has_null)
    value.null = writer_.EitherNull(text.null, writer_.DeclareFlag("!" + value.code));
  return value;
}

Value TextWriter::WriteComparison(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  const Text a = WriteText(expression.Operand(0)), b = WriteText(expression.Operand(1));
  return writer_.Compared(operation, CompareTexts(operation, a.Arguments(), b.Arguments()), a.null,
                          b.null);
}

}  // namespace margay::compile
