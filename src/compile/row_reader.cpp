#include "compile/row_reader.hpp"

#include "storage/constants.hpp"

namespace margay::compile {

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

std::vector<std::string> ColumnArguments(const InputColumn& column) {
  const std::string number = std::to_string(column.number);
  std::vector<std::string> arguments{"__global const " + EncodedType(column) + "* restrict column" +
                                     number + " /* " + column.name + " */"};
  if (column.form->HasValidity())
    arguments.push_back("__global const uchar* restrict validity" + number);
  if (column.IsText())
    arguments.push_back("__global const uchar* restrict text" + number);
  return arguments;
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

std::string JoinedRow(size_t table) {
  return "row" + std::to_string(table);
}

std::string GatherReader::Row(const InputColumn& column) const {
  const std::string row = JoinedRow(column.table);
  return can_be_missing_ ? "max(" + row + ", 0)" : row;
}

std::string GatherReader::Encoded(const InputColumn& column, int word) const {
  const std::string pointer = "column" + std::to_string(column.number);
  if (column.form->GetEncoding() == storage::Encoding::Wide) {
    return pointer + "[2 * (ulong)" + Row(column) + (word == 1 ? " + 1]" : "]");
  }
  return pointer + "[" + Row(column) + "]";
}

std::string GatherReader::IsNull(const InputColumn& column) const {
  const std::string row = Row(column);
  return "!(validity" + std::to_string(column.number) + "[" + row + " / 8] >> " + row + " % 8 & 1)";
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
