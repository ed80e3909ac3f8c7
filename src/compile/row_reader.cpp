#include "compile/row_reader.hpp"

namespace margay::compile {

std::string DirectReader::Encoded(const InputColumn& column, int word) const {
  const std::string pointer = "c" + std::to_string(column.number);
  if (column.image->GetEncoding() == storage::Encoding::Wide) {
    return pointer + "[2 * row" + (word == 1 ? " + 1]" : "]");
  }
  return pointer + "[row]";
}

std::string DirectReader::IsNull(const InputColumn& column) const {
  return "!(n" + std::to_string(column.number) + "[row / 8] >> row % 8 & 1)";
}

std::string VectorReader::Encoded(const InputColumn& column, int /*word*/) const {
  return "vload8(0, c" + std::to_string(column.number) + " + row)";
}

std::string VectorReader::IsNull(const InputColumn& column) const {
  return "(((int8)((int)n" + std::to_string(column.number) +
         "[row / 8]) & (int8)(1, 2, 4, 8, 16, 32, 64, 128)) == 0)";
}

}  // namespace margay::compile
