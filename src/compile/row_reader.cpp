#include "compile/row_reader.hpp"

#include <algorithm>

#include "storage/constants.hpp"

namespace margay::compile {

namespace {

//! The argument `name` of a column's extent.
std::string ExtentArgument(const InputColumn& column, const std::string& name, size_t extent) {
  return name + std::to_string(column.number) + (extent == 0 ? "" : "_" + std::to_string(extent));
}

//! The extents of a column whose rows are found by their numbers; without rows one stands for none.
size_t ExtentsOf(const storage::ColumnForm& form) {
  return std::max<size_t>(form.ExtentCount(), 1);
}

//! The extents of text that a kernel reads of a column whose rows are found by their numbers.
size_t TextExtentsOf(const InputColumn& column) {
  return std::max<size_t>(column.TextImage()->TextExtentCount(), 1);
}

std::vector<std::string> Arguments(const InputColumn& column, size_t extents, size_t text_extents) {
  std::vector<std::string> arguments;
  for (size_t extent = 0; extent < extents; extent++) {
    arguments.push_back("__global const " + EncodedType(column) + "* restrict " +
                        ExtentArgument(column, "column", extent) + " /* " + column.name + " */");
    if (column.form->HasValidity())
      arguments.push_back("__global const uchar* restrict " +
                          ExtentArgument(column, "validity", extent));
  }
  if (column.RefersToText()) {
    for (size_t extent = 0; extent < ExtentsOf(*column.TextImage()); extent++)
      arguments.push_back("__global const uint* restrict " +
                          ExtentArgument(column, "ends", extent));
  }
  for (size_t extent = 0; extent < text_extents; extent++)
    arguments.push_back("__global const uchar* restrict " + ExtentArgument(column, "text", extent));
  return arguments;
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

std::optional<InputColumn> FindTextColumn(const plan::Expression& expression,
                                          const std::vector<InputColumn>& columns) {
  const plan::Expression* whole = &expression;
  while (plan::IsSlice(whole->GetOperation()))
    whole = &whole->Operand(0);
  if (whole->GetOperation() != plan::Operation::Column || !columns[whole->ColumnIndex()].IsText())
    return std::nullopt;
  return Sliced(columns[whole->ColumnIndex()], expression);
}

InputColumn Sliced(InputColumn column, const plan::Expression& expression) {
  if (!plan::IsSlice(expression.GetOperation()))
    return column;
  InputColumn sliced = Sliced(std::move(column), expression.Operand(0));
  std::vector<plan::ExpressionPointer> operands = expression.Operands();
  if (sliced.Slice())
    operands[0] = sliced.Slice();
  sliced.slice = plan::WithOperands(expression, std::move(operands));
  return sliced;
}

bool CanNumberRows(const InputColumn& column) {
  return column.TextImage()->Rows() < INT32_MAX;
}

std::vector<std::string> ScanArguments(const InputColumn& column) {
  if (column.is_whole)
    return GatherArguments(column);
  return Arguments(column, 1,
                   column.RefersToText() ? TextExtentsOf(column) : (column.HoldsText() ? 1 : 0));
}

std::vector<std::string> GatherArguments(const InputColumn& column) {
  return Arguments(column, ExtentsOf(*column.form), column.IsText() ? TextExtentsOf(column) : 0);
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

std::string StringsArgument(const InputColumn& column) {
  return "strings" + std::to_string(column.number);
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

std::string GatherReader::Extent(const InputColumn& column, const std::string& name) const {
  const size_t extents = column.form->ExtentCount();
  if (extents <= 1)
    return ExtentArgument(column, name, 0);
  std::string code = "(";
  for (size_t extent = 0; extent + 1 < extents; extent++) {
    code += Row(column) + " < " + std::to_string((extent + 1) * column.form->RowsPerExtent()) +
            " ? " + ExtentArgument(column, name, extent) + " : ";
  }
  return code + ExtentArgument(column, name, extents - 1) + ")";
}

std::string GatherReader::TextExtent(const InputColumn& column) const {
  const storage::ColumnImage& image = *column.TextImage();
  std::string code;
  for (size_t segment = 1; segment < image.Segments().size(); segment++) {
    const size_t extent = image.TextExtentOf(segment - 1);
    if (image.TextExtentOf(segment) != extent) {
      code += Row(column) + " < " + std::to_string(segment * storage::kSegmentRows) + " ? " +
              ExtentArgument(column, "text", extent) + " : ";
    }
  }
  const std::string last = ExtentArgument(column, "text", TextExtentsOf(column) - 1);
  return code.empty() ? last : "(" + code + last + ")";
}

std::string GatherReader::RowInExtent(const InputColumn& column) const {
  if (column.form->ExtentCount() <= 1)
    return Row(column);
  return "(" + Row(column) + " % " + std::to_string(column.form->RowsPerExtent()) + ")";
}

std::string GatherReader::Encoded(const InputColumn& column, int word) const {
  const std::string extent = Extent(column, "column"), row = RowInExtent(column);
  if (column.form->GetEncoding() == storage::Encoding::Wide)
    return extent + "[2 * (ulong)" + row + (word == 1 ? " + 1]" : "]");
  return extent + "[" + row + "]";
}

std::string GatherReader::IsNull(const InputColumn& column) const {
  const std::string row = RowInExtent(column);
  return "!(" + Extent(column, "validity") + "[" + row + " / 8] >> " + row + " % 8 & 1)";
}

std::string GatherReader::Base(const InputColumn& column) const {
  std::vector<int64_t> bases;
  for (const storage::SegmentStatistics& segment : column.form->Segments())
    bases.push_back(segment.base);
  if (bases.size() <= 1) {
    const int64_t base = bases.empty() ? 0 : bases[0];
    return "(ulong)" + parameters_.AddInteger(base, Machine::Int64);
  }
  const std::string offset = parameters_.AddLookup(bases.data(), bases.size() * sizeof(int64_t));
  return "((__global const ulong*)(lookups + " + offset + "))[" + Row(column) + " / " +
         std::to_string(storage::kSegmentRows) + "]";
}

std::string VectorReader::Encoded(const InputColumn& column, int /*word*/) const {
  return "vload8(0, c" + std::to_string(column.number) + " + row)";
}

std::string VectorReader::IsNull(const InputColumn& column) const {
  return "(((int8)((int)n" + std::to_string(column.number) +
         "[row / 8]) & (int8)(1, 2, 4, 8, 16, 32, 64, 128)) == 0)";
}

}  // namespace margay::compile
