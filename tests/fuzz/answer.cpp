#include "answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

namespace margay::fuzz {

namespace {

constexpr double kRelativeTolerance = 1e-9;

template <typename Value>
void AppendBytes(std::string& row, const Value& value) {
  row.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename Value>
Value ReadBytes(const std::string& row, size_t offset) {
  Value value;
  std::memcpy(&value, row.data() + offset, sizeof(value));
  return value;
}

//! Bytes of the cell of `type` that begins at `offset`, its first byte included.
size_t CellBytes(const std::string& row, size_t offset, const plan::Type& type) {
  if (row[offset] == 0) {
    return 1;
  }
  if (type.IsVarchar()) {
    return 1 + sizeof(uint32_t) + ReadBytes<uint32_t>(row, offset + 1);
  }
  return 1 + (type.IsFloat() ? sizeof(double) : sizeof(Int128));
}

//! A row split into what must be equal and what may differ a little; ordered by the former.
struct ComparedRow {
  std::string exact;
  std::vector<std::optional<double>> reals;
  std::vector<std::optional<double>> scales;
  size_t row = 0;

  bool operator<(const ComparedRow& other) const {
    return std::tie(exact, reals) < std::tie(other.exact, other.reals);
  }
};

std::vector<ComparedRow> SplitRows(const Answer& answer, const std::vector<Tolerance>& tolerances) {
  std::vector<ComparedRow> rows(answer.rows.size());
  for (size_t i = 0; i < rows.size(); i++) {
    const std::string& row = answer.rows[i];
    rows[i].row = i;
    size_t offset = 0;
    for (size_t column = 0; column < answer.types.size(); column++) {
      const plan::Type& type = answer.types[column];
      const size_t bytes = CellBytes(row, offset, type);
      std::optional<double> real;
      if (type.IsFloat() && row[offset] != 0) {
        real = ReadBytes<double>(row, offset + 1);
      }
      if (column >= tolerances.size()) {
        rows[i].scales.push_back(real);
      } else if (type.IsFloat() && (tolerances[column] == Tolerance::Relative ||
                                    tolerances[column] == Tolerance::Scaled)) {
        rows[i].reals.push_back(real);
      } else if (real && *real == 0 && tolerances[column] != Tolerance::Exact) {
        Answer::AppendReal(rows[i].exact, 0.0);
      } else {
        rows[i].exact.append(row, offset, bytes);
      }
      offset += bytes;
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool IsClose(std::optional<double> reference, std::optional<double> found, double scale) {
  if (!reference || !found) {
    return reference.has_value() == found.has_value();
  }
  if (!std::isfinite(scale)) {
    // Whether the sum passes through infinity depends on the order of the rows.
    return true;
  }
  if (!std::isfinite(*reference) || !std::isfinite(*found)) {
    return (std::isnan(*reference) && std::isnan(*found)) || *reference == *found;
  }
  return std::abs(*reference - *found) <= kRelativeTolerance * scale;
}

bool IsClose(const ComparedRow& reference, const ComparedRow& found,
             const std::vector<Tolerance>& tolerances) {
  size_t real = 0;
  size_t scaled = 0;
  for (const Tolerance tolerance : tolerances) {
    if (tolerance != Tolerance::Relative && tolerance != Tolerance::Scaled) {
      continue;
    }
    if (real >= reference.reals.size()) {
      break;
    }
    const std::optional<double> value = reference.reals[real];
    double scale = value && std::isfinite(*value) ? std::abs(*value) : 0;
    if (tolerance == Tolerance::Scaled) {
      scale = scaled < reference.scales.size() ? reference.scales[scaled].value_or(0) : INFINITY;
      scaled++;
    }
    if (!IsClose(value, found.reals[real], scale)) {
      return false;
    }
    real++;
  }
  return true;
}

}  // namespace

void Answer::AppendInteger(std::string& row, Int128 value) {
  row += '\1';
  AppendBytes(row, value);
}

void Answer::AppendReal(std::string& row, double value) {
  row += '\1';
  AppendBytes(row, std::isnan(value) ? std::nan("") : value);
}

void Answer::AppendText(std::string& row, const std::string& value) {
  row += '\1';
  AppendBytes(row, static_cast<uint32_t>(value.size()));
  row += value;
}

std::string Answer::RowText(size_t row) const {
  const std::string& bytes = rows[row];
  std::string text;
  size_t offset = 0;
  for (const plan::Type& type : types) {
    Cell cell;
    const size_t length = CellBytes(bytes, offset, type);
    if (bytes[offset] == 0) {
      cell.is_null = true;
    } else if (type.IsVarchar()) {
      cell.text = bytes.substr(offset + 1 + sizeof(uint32_t), length - 1 - sizeof(uint32_t));
    } else if (type.IsFloat()) {
      cell.real = ReadBytes<double>(bytes, offset + 1);
    } else {
      cell.integer = ReadBytes<Int128>(bytes, offset + 1);
    }
    text += (offset == 0 ? "(" : ", ") + Literal(cell, type);
    offset += length;
  }
  return text + ")";
}

namespace {

//! Of several rows that fail, DuckDB's threads name any: the value in the message says nothing.
std::optional<std::string> WithoutNumbers(std::optional<std::string> error) {
  if (error) {
    std::erase_if(*error, [](char character) {
      return (character >= '0' && character <= '9') || character == '.' || character == '-';
    });
  }
  return error;
}

}  // namespace

std::optional<std::string> FindDifference(const Answer& reference, const Answer& found,
                                          const std::vector<Tolerance>& tolerances) {
  if (WithoutNumbers(reference.error) != WithoutNumbers(found.error)) {
    return "error expected: " + reference.error.value_or("none") +
           "; found: " + found.error.value_or("none");
  }
  if (reference.error) {
    return std::nullopt;
  }
  const std::vector<plan::Type> expected_types(
      reference.types.begin(), reference.types.begin() + static_cast<ptrdiff_t>(tolerances.size()));
  if (expected_types != found.types) {
    return "the types of the columns differ";
  }
  if (reference.rows.size() != found.rows.size()) {
    return "rows expected: " + std::to_string(reference.rows.size()) +
           "; found: " + std::to_string(found.rows.size());
  }
  const std::vector<ComparedRow> expected_rows = SplitRows(reference, tolerances);
  const std::vector<ComparedRow> found_rows = SplitRows(found, tolerances);
  for (size_t i = 0; i < expected_rows.size(); i++) {
    if (expected_rows[i].exact != found_rows[i].exact ||
        !IsClose(expected_rows[i], found_rows[i], tolerances)) {
      return "row expected: " + reference.RowText(expected_rows[i].row) +
             "; found: " + found.RowText(found_rows[i].row);
    }
  }
  return std::nullopt;
}

}  // namespace margay::fuzz
