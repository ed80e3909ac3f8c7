#include "compile/expression_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "storage/constants.hpp"

namespace margay::compile {

using optimize::Node;
using optimize::NodeKind;

namespace {

//! A literal that is exactly `value`.
std::string RealLiteral(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", value);
  const std::string literal = text;
  return literal.find_first_of(".e") == std::string::npos ? literal + ".0" : literal;
}

//! `column`, or the column whose rows its values are, with its number.
InputColumn HolderOf(const InputColumn& column) {
  InputColumn text = column;
  if (column.RefersToText())
    text.form = text.image = column.TextImage();
  return text;
}

std::string TableAddress(const std::string& element, const std::string& place) {
  if (element == "uchar")
    return "(lookups + " + place + ")";
  return "((__global const " + element + "*)(lookups + " + place + "))";
}

}  // namespace

std::string WrittenText::Arguments() const {
  return begin.empty() ? address + ", " + end
                       : address + " + " + begin + ", " + end + " - " + begin;
}

std::string IntegerLiteral(Int128 value, Machine machine) {
  if (machine == Machine::Wide) {
    return "wide_make(" + std::to_string(static_cast<uint64_t>(value)) + "UL, " +
           IntegerLiteral(value >> 64, Machine::Int64) + ")";
  }
  // The lowest values have no literal of their own in C.
  if (machine == Machine::Int64) {
    if (value == std::numeric_limits<int64_t>::min())
      return "(-9223372036854775807L - 1)";
    return ToString(value) + "L";
  }
  if (value == std::numeric_limits<int32_t>::min())
    return "(-2147483647 - 1)";
  return ToString(value);
}

std::string ExpressionWriter::DeclareAs(const std::string& type, const std::string& code) {
  const std::string name = context_.NewVariable();
  block_.Line("const " + type + " " + name + " = " + code + ";");
  return name;
}

std::string ExpressionWriter::IsTrue(const WrittenValue& boolean) {
  if (!boolean.CanBeNull())
    return boolean.code;
  return Declare(Machine::Int32, boolean.code + " & !" + boolean.null);
}

WrittenValue ExpressionWriter::Write(const optimize::Value& value) {
  WrittenValue written;
  written.machine = value.GetMachine();
  if (written.machine != Machine::Text)
    written.code = WriteNode(value.node);
  if (value.CanBeNull())
    written.null = WriteNode(value.null);
  for (const Node* fault : value.faults) {
    if (!faults_.emplace(fault, active_).second)
      continue;
    block_.Line(dialect_.Fault() + " |= " + WriteNode(fault) +
                (active_.empty() ? "" : " & " + active_) + ";");
  }
  return written;
}

std::string ExpressionWriter::WriteNode(const Node* node) {
  switch (node->kind) {
    case NodeKind::Parameter:
      return dialect_.Constant(ParameterName(node->number), node->machine);
    case NodeKind::Literal:
      return dialect_.Constant(IntegerLiteral(node->integer, node->machine), node->machine);
    case NodeKind::Real:
      return RealLiteral(std::bit_cast<double>(static_cast<int64_t>(node->integer))) +
             (node->machine == Machine::Float32 ? "f" : "");
    case NodeKind::Flag:
      return node->number == 1 ? dialect_.True() : dialect_.False();
    case NodeKind::Table:
      return TableAddress(node->symbol, ParameterName(node->number));
    case NodeKind::Interned:
      return "interned_row" + std::to_string(node->number);
    case NodeKind::Member:
      return WriteNode(node->operands[0]) + "." + node->symbol;
    case NodeKind::Output:
      return WriteNode(node->operands[0]) + "_output";
    default:
      break;
  }
  const auto known = written_.find(node);
  if (known != written_.end())
    return known->second;
  std::string code = ComputationOf(*node);
  // A second result has the name of the first.
  if (node->kind == NodeKind::CallOutput) {
    const std::string name = context_.NewVariable();
    const auto output = static_cast<Machine>(node->number);
    block_.Line(dialect_.Type(output) + " " + name + "_output" +
                (output == Machine::Wide ? ";" : " = 0;"));
    block_.Line("const " + dialect_.Type(node->machine) + " " + name + " = " + code + ", &" + name +
                "_output);");
    return written_[node] = name;
  }
  return written_[node] = Declare(node->machine, code);
}

std::string ExpressionWriter::WriteCall(const Node& node) {
  std::string arguments;
  for (const Node* operand : node.operands) {
    arguments += arguments.empty() ? "" : ", ";
    arguments +=
        operand->machine == Machine::Text ? WriteText(operand).Arguments() : WriteNode(operand);
  }
  return node.symbol + "(" + arguments;
}

template <typename Read>
std::string ExpressionWriter::ReadColumn(const InputColumn& column, const Read& read) {
  if (context_.IsScanned(column))
    return read(reader_);
  return read(GatherReader(context_.Gathered(), context_.CanBeMissing(column)));
}

std::string ExpressionWriter::WriteColumn(const Node& node) {
  const InputColumn& column = context_.Column(node.number);
  return ReadColumn(column, [&](const RowReader& reader) -> std::string {
    switch (column.form->GetEncoding()) {
      case storage::Encoding::Narrow:
        // Offset and base in the value's width: the sum is exact although either may wrap.
        return dialect_.Decode(reader.Encoded(column, 0), reader.Base(column), node.machine);
      case storage::Encoding::Dictionary:
        return dialect_.DecodeCode(reader.Encoded(column, 0));
      case storage::Encoding::Wide:
        return "wide_make(" + reader.Encoded(column, 0) + ", (long)" + reader.Encoded(column, 1) +
               ")";
      default:
        return reader.Encoded(column, 0);
    }
  });
}

std::string ExpressionWriter::ElementCode(const Node& node) {
  const std::string table = TableAddress(node.symbol, ParameterName(node.number));
  const std::string entry = WriteNode(node.operands[0]);
  if (node.machine != Machine::Wide)
    return table + "[" + entry + "]";
  return "wide_make(" + table + "[2 * " + entry + "], (long)" + table + "[2 * " + entry + " + 1])";
}

std::string ExpressionWriter::ComputationOf(const Node& node) {
  const auto operand = [&](size_t i) { return WriteNode(node.operands[i]); };
  const auto infix = [&](const std::string& symbol) {
    const std::string left = operand(0);
    return left + " " + symbol + " " + operand(1);
  };
  switch (node.kind) {
    case NodeKind::Column:
      return WriteColumn(node);
    case NodeKind::ColumnNull: {
      const InputColumn& column = context_.Column(node.number);
      return ReadColumn(column, [&](const RowReader& reader) { return reader.IsNull(column); });
    }
    case NodeKind::Missing:
      return "(" + JoinedRow(context_.Table(node.number)) + " < 0)";
    case NodeKind::RowNumber: {
      const size_t table = context_.Table(node.number);
      return "(" + dialect_.Type(node.machine) + ")" +
             (table == 0 ? "(table_first + row)" : JoinedRow(table));
    }
    case NodeKind::TextRow:
      return WriteStoredTextRow(context_.Column(node.number));
    case NodeKind::GroupWord:
      return context_.group_words + "[" + std::to_string(node.number) + "]";
    case NodeKind::GroupIndex:
      return "(long)" + context_.group_index[node.number];
    case NodeKind::Convert:
      return dialect_.Convert(operand(0), node.operands[0]->machine, node.machine);
    case NodeKind::Wrapping: {
      const std::string left = operand(0);
      return dialect_.Wrapping(node.machine, left, node.symbol, operand(1));
    }
    case NodeKind::Compare:
      return dialect_.Flag("(" + infix(node.symbol) + ")", node.operands[0]->machine);
    case NodeKind::And:
      return infix("&");
    case NodeKind::Or:
      return infix("|");
    case NodeKind::Not:
      return "!" + operand(0);
    case NodeKind::Select: {
      const std::string condition = operand(0), yes = operand(1);
      return dialect_.Choose(condition, yes, operand(2), node.machine);
    }
    case NodeKind::Calendar: {
      const CalendarForm form{dialect_.IsVector(), node.number == 1};
      context_.calendars.insert(form);
      return form.Prefix() + WriteCall(node) + ")";
    }
    case NodeKind::Sign: {
      const std::string above = operand(0), below = operand(1);
      // A flag is -1 in the vector dialect.
      return dialect_.IsVector() ? below + " - " + above : above + " - " + below;
    }
    case NodeKind::InRange: {
      const std::string value = operand(0);
      const auto scalar = [&](size_t i) { return ParameterName(node.operands[i]->number); };
      const Machine machine = node.operands[0]->machine;
      if (dialect_.IsVector())
        return "(as_uint8(" + value + " - " + scalar(1) + ") < (uint)" + scalar(2) + ")";
      const std::string type = machine == Machine::Int32 ? "(uint)" : "(ulong)";
      return "(" + type + value + " - " + type + scalar(1) + " < " + type + scalar(2) + ")";
    }
    case NodeKind::Infix:
      return infix(node.symbol);
    case NodeKind::Call: {
      const std::string found = context_.searches.Find(&node);
      return found.empty() ? WriteCall(node) + ")" : found;
    }
    case NodeKind::CallOutput:
      return WriteCall(node);
    case NodeKind::Element:
      return ElementCode(node);
    case NodeKind::Bit: {
      const std::string place = operand(0);
      return "(lookups + " + ParameterName(node.number) + ")[" + place + " >> 3] >> (" + place +
             " & 7) & " + operand(1);
    }
    default:
      throw std::logic_error("ExpressionWriter: a node that is no computation");
  }
}

WrittenText ExpressionWriter::WriteText(const Node* text) {
  const auto known = texts_.find(text);
  if (known != texts_.end())
    return known->second;
  return texts_[text] = WriteNewText(*text, "");
}

WrittenText ExpressionWriter::WriteTextAt(const Node* text, const std::string& row) {
  return WriteNewText(*text, row);
}

WrittenText ExpressionWriter::WriteNewText(const Node& text, const std::string& row) {
  const auto operand = [&] {
    return row.empty() ? WriteText(text.operands[0]) : WriteNewText(*text.operands[0], row);
  };
  switch (text.kind) {
    case NodeKind::TextColumn:
      return WriteTextColumn(context_.Column(text.number), row);
    case NodeKind::TextConstant:
      return {"lookups + " + ParameterName(text.number), "", WriteNode(text.operands[0])};
    case NodeKind::TextSlice: {
      const WrittenText whole = operand();
      return WriteSlice(whole, "text_slice(" + whole.Arguments() + ", " +
                                   WriteNode(text.operands[1]) + ", " +
                                   WriteNode(text.operands[2]) + ")");
    }
    case NodeKind::TextTrim: {
      const WrittenText whole = operand();
      return WriteSlice(whole, text.symbol + "(" + whole.Arguments() + ", " +
                                   WriteText(text.operands[1]).Arguments() + ")");
    }
    case NodeKind::TextEntry:
      return WriteEntry(text);
    default:
      throw std::logic_error("ExpressionWriter: a node that is no text");
  }
}

WrittenText ExpressionWriter::WriteSlice(const WrittenText& text, const std::string& call) {
  const std::string places = DeclareAs("uint2", call);
  const std::string from = text.begin.empty() ? "" : text.begin + " + ";
  WrittenText slice{text.address, DeclareAs("uint", from + places + ".x"), {}};
  slice.end = DeclareAs("uint", from + places + ".y");
  return slice;
}

WrittenText ExpressionWriter::WriteEntry(const Node& entry) {
  const std::string strings =
      entry.operands.size() == 3
          ? WriteNode(entry.operands[2])
          : Argument{ArgumentKind::Strings, context_.Column(entry.number).number}.Name();
  const std::string ends = "((__global const uint*)" + strings + ")";
  const std::string code = WriteNode(entry.operands[0]);
  WrittenText text{strings + " + " + WriteNode(entry.operands[1]),
                   DeclareAs("uint", code + " == 0 ? 0 : " + ends + "[" + code + " - 1]"),
                   {}};
  text.end = DeclareAs("uint", ends + "[" + code + "]");
  return text;
}

std::string ExpressionWriter::WriteTextRow(const InputColumn& column) {
  const bool is_scanned = context_.IsScanned(column);
  if (column.HoldsText())
    return is_scanned ? "(int)(table_first + row)" : JoinedRow(column.table);
  const auto known = text_rows_.find(column.number);
  if (known != text_rows_.end())
    return known->second;
  std::string code = ReadColumn(
      column, [&](const RowReader& reader) { return "(int)" + reader.Encoded(column, 0); });
  // A table without rows has nothing to read in place of a missing one.
  if (!is_scanned && context_.CanBeMissing(column))
    code = JoinedRow(column.table) + " < 0 ? 0 : " + code;
  return text_rows_[column.number] = DeclareAs("int", code);
}

WrittenText ExpressionWriter::WriteTextColumn(const InputColumn& column, const std::string& row) {
  const std::string number = std::to_string(column.number);
  if (row.empty() && context_.IsScanned(column) && column.HoldsText()) {
    WrittenText text{
        "t" + number, DeclareAs("uint", "row == 0 ? 0 : c" + number + "[row - 1]"), {}};
    text.end = DeclareAs("uint", "c" + number + "[row]");
    return text;
  }
  const InputColumn holder = HolderOf(column);
  const bool is_own_row = row.empty() && column.HoldsText();
  const GatherReader reader =
      is_own_row ? GatherReader(context_.Gathered(), context_.CanBeMissing(column))
                 : GatherReader(context_.Gathered(), row.empty() ? WriteTextRow(column) : row);
  const std::string ends =
      reader.Extent(holder, column.RefersToText() ? ArgumentKind::Ends : ArgumentKind::Column);
  const std::string place = reader.RowInExtent(holder);
  WrittenText text{reader.TextExtent(holder) + " + " + reader.Base(holder),
                   DeclareAs("uint", "(" + place + " % " + std::to_string(storage::kSegmentRows) +
                                         " == 0 ? 0 : " + ends + "[" + place + " - 1])"),
                   {}};
  text.end = DeclareAs("uint", ends + "[" + place + "]");
  return text;
}

}  // namespace margay::compile
