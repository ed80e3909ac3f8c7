#include "compile/row_reader.hpp"

#include <algorithm>

#include "storage/constants.hpp"

namespace margay::compile {

namespace {

std::string ExtentArgument(const InputColumn& column, ArgumentKind kind, size_t extent) {
  return Argument{kind, column.number, extent}.Name();
}

//! The first row behind an extent.
std::string ExtentEnd(const optimize::GatheredColumns::Places& places, size_t extent) {
  const std::string rows = ParameterName(places.rows_per_extent);
  return extent == 0 ? rows : "(" + std::to_string(extent + 1) + " * " + rows + ")";
}

//! The extents of a column whose rows are found by their numbers; without rows one stands for none.
size_t ExtentsOf(const storage::ColumnForm& form) {
  return std::max<size_t>(form.ExtentCount(), 1);
}

//! The extents of text that a kernel reads of a column whose rows are found by their numbers.
size_t TextExtentsOf(const InputColumn& column) {
  return std::max<size_t>(column.TextImage()->TextExtentCount(), 1);
}

void AddArguments(const InputColumn& column, size_t extents, size_t text_extents,
                  ArgumentList& arguments) {
  for (size_t extent = 0; extent < extents; extent++) {
    arguments.Add({ArgumentKind::Column, column.number, extent},
                  "__global const " + EncodedType(column) + "* restrict");
    if (column.form->HasValidity())
      arguments.Add({ArgumentKind::Validity, column.number, extent});
  }
  if (column.RefersToText()) {
    for (size_t extent = 0; extent < ExtentsOf(*column.TextImage()); extent++)
      arguments.Add({ArgumentKind::Ends, column.number, extent});
  }
  for (size_t extent = 0; extent < text_extents; extent++)
    arguments.Add({ArgumentKind::Text, column.number, extent});
}

}  // namespace

std::string EncodedType(const InputColumn& column) {
  switch (column.form->GetEncoding()) {
    case storage::Encoding::Float32:
      return "float";
    case storage::Encoding::Float64:
      return "double";
    case storage::Encoding::Wide:
      return "ulong";
    default:
      switch (column.form->Width()) {
        case 1:
          return "uchar";
        case 2:
          return "ushort";
        case 4:
          return "uint";
        default:
          return "ulong";
      }
  }
}

void AddScanArguments(const InputColumn& column, ArgumentList& arguments) {
  if (column.is_whole) {
    AddGatherArguments(column, arguments);
    return;
  }
  const size_t own_text = column.HoldsText() ? 1 : 0;
  AddArguments(column, 1, column.RefersToText() ? TextExtentsOf(column) : own_text, arguments);
}

void AddGatherArguments(const InputColumn& column, ArgumentList& arguments) {
  AddArguments(column, ExtentsOf(*column.form), column.IsText() ? TextExtentsOf(column) : 0,
               arguments);
}

std::string RowReader::Base(const InputColumn& column) const {
  return "base" + std::to_string(column.number);
}

std::string DirectReader::Encoded(const InputColumn& column, int word) const {
  const std::string pointer = "c" + std::to_string(column.number);
  if (column.form->GetEncoding() == storage::Encoding::Wide) {
    return pointer + "[2 * row" + (word == 1 ? " + 1]" : "]");
  }
  return pointer + "[row]";
}

std::string DirectReader::IsNull(const InputColumn& column) const {
  return "!(n" + std::to_string(column.number) + "[row / 8] >> row % 8 & 1)";
}

std::string ParameterName(size_t parameter) {
  return "p" + std::to_string(parameter);
}

std::string JoinedRow(size_t table) {
  return "row" + std::to_string(table);
}

std::string GatherReader::Row(const InputColumn& column) const {
  if (!row_.empty())
    return row_;
  const std::string row = JoinedRow(column.table);
  return can_be_missing_ ? "max(" + row + ", 0)" : row;
}

std::string GatherReader::Extent(const InputColumn& column, ArgumentKind kind) const {
  const optimize::GatheredColumns::Places& places = columns_.Of(*column.form);
  std::string code;
  for (size_t extent = 0; extent + 1 < places.extents; extent++) {
    code += Row(column) + " < " + ExtentEnd(places, extent) + " ? " +
            ExtentArgument(column, kind, extent) + " : ";
  }
  const std::string last = ExtentArgument(column, kind, places.extents - 1);
  return code.empty() ? last : "(" + code + last + ")";
}

std::string GatherReader::TextExtent(const InputColumn& column) const {
  const optimize::GatheredColumns::Places& places = columns_.Of(*column.form);
  std::string code;
  for (size_t extent = 0; extent < places.text_begins.size(); extent++) {
    code += Row(column) + " < " + ParameterName(places.text_begins[extent]) + " ? " +
            ExtentArgument(column, ArgumentKind::Text, extent) + " : ";
  }
  const std::string last = ExtentArgument(column, ArgumentKind::Text, places.text_begins.size());
  return code.empty() ? last : "(" + code + last + ")";
}

std::string GatherReader::RowInExtent(const InputColumn& column) const {
  const optimize::GatheredColumns::Places& places = columns_.Of(*column.form);
  if (places.extents == 1)
    return Row(column);
  // Not the rest of a division: the number of rows is no constant.
  std::string first = "0";
  for (size_t extent = 1; extent < places.extents; extent++) {
    first = "(" + Row(column) + " < " + ExtentEnd(places, extent - 1) + " ? " + first + " : " +
            ExtentEnd(places, extent - 1) + ")";
  }
  return "(" + Row(column) + " - " + first + ")";
}

std::string GatherReader::Encoded(const InputColumn& column, int word) const {
  const std::string extent = Extent(column, ArgumentKind::Column), row = RowInExtent(column);
  if (column.form->GetEncoding() == storage::Encoding::Wide)
    return extent + "[2 * (ulong)" + row + (word == 1 ? " + 1]" : "]");
  return extent + "[" + row + "]";
}

std::string GatherReader::IsNull(const InputColumn& column) const {
  const std::string row = RowInExtent(column);
  return "!(" + Extent(column, ArgumentKind::Validity) + "[" + row + " / 8] >> " + row +
         " % 8 & 1)";
}

std::string GatherReader::Base(const InputColumn& column) const {
  const optimize::GatheredColumns::Places& places = columns_.Of(*column.form);
  if (!places.has_base_table)
    return "(ulong)" + ParameterName(places.base);
  return "((__global const ulong*)(lookups + " + ParameterName(places.base) + "))[" + Row(column) +
         " / " + std::to_string(storage::kSegmentRows) + "]";
}

std::string VectorReader::Encoded(const InputColumn& column, int /*word*/) const {
  return "vload8(0, c" + std::to_string(column.number) + " + row)";
}

std::string VectorReader::IsNull(const InputColumn& column) const {
  return "(((int8)((int)n" + std::to_string(column.number) +
         "[row / 8]) & (int8)(1, 2, 4, 8, 16, 32, 64, 128)) == 0)";
}

}  // namespace margay::compile
