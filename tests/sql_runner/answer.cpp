#include "answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <sstream>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/main/materialized_query_result.hpp"

namespace margay::test {

namespace {

constexpr double kTolerance = 1e-9;
//! Rows of a difference that are printed.
constexpr size_t kShownRows = 4;

//! Walks the rows of a collection chunk by chunk.
class Cursor {
 public:
  explicit Cursor(const duckdb::ColumnDataCollection& rows) : rows_(rows) {
    rows_.InitializeScan(scan_);
    rows_.InitializeScanChunk(chunk_);
  }

  //! Rows left in the current chunk, which is the next one if this one is used up; 0 at the end.
  size_t Available() {
    if (used_ == chunk_.size()) {
      chunk_.Reset();
      used_ = 0;
      if (!rows_.Scan(scan_, chunk_)) {
        return 0;
      }
      chunk_.Flatten();
    }
    return chunk_.size() - used_;
  }
  duckdb::DataChunk& Chunk() { return chunk_; }
  size_t Used() const { return used_; }
  void Advance(size_t count) { used_ += count; }

 private:
  const duckdb::ColumnDataCollection& rows_;
  duckdb::ColumnDataScanState scan_;
  duckdb::DataChunk chunk_;
  size_t used_ = 0;
};

template <class T>
bool SameValue(const T& left, const T& right) {
  return std::memcmp(&left, &right, sizeof(T)) == 0;
}
template <>
bool SameValue(const double& left, const double& right) {
  return (std::isnan(left) && std::isnan(right)) || std::memcmp(&left, &right, sizeof(left)) == 0;
}
template <>
bool SameValue(const float& left, const float& right) {
  return (std::isnan(left) && std::isnan(right)) || std::memcmp(&left, &right, sizeof(left)) == 0;
}
template <>
bool SameValue(const duckdb::string_t& left, const duckdb::string_t& right) {
  return left == right;
}

template <class T>
bool SameValues(duckdb::Vector& left, size_t left_at, duckdb::Vector& right, size_t right_at,
                size_t count) {
  auto& left_valid = duckdb::FlatVector::Validity(left);
  auto& right_valid = duckdb::FlatVector::Validity(right);
  // By the width of the type alone: DuckDB's typed access wants its sign too.
  auto left_data = reinterpret_cast<const T*>(duckdb::FlatVector::GetData(left));
  auto right_data = reinterpret_cast<const T*>(duckdb::FlatVector::GetData(right));
  for (size_t i = 0; i < count; ++i) {
    bool valid = left_valid.RowIsValid(left_at + i);
    if (valid != right_valid.RowIsValid(right_at + i) ||
        (valid && !SameValue(left_data[left_at + i], right_data[right_at + i]))) {
      return false;
    }
  }
  return true;
}

bool SameColumn(duckdb::Vector& left, size_t left_at, duckdb::Vector& right, size_t right_at,
                size_t count) {
  using duckdb::PhysicalType;
  switch (left.GetType().InternalType()) {
    case PhysicalType::BOOL:
    case PhysicalType::INT8:
    case PhysicalType::UINT8:
      return SameValues<uint8_t>(left, left_at, right, right_at, count);
    case PhysicalType::INT16:
    case PhysicalType::UINT16:
      return SameValues<uint16_t>(left, left_at, right, right_at, count);
    case PhysicalType::INT32:
    case PhysicalType::UINT32:
      return SameValues<uint32_t>(left, left_at, right, right_at, count);
    case PhysicalType::INT64:
    case PhysicalType::UINT64:
      return SameValues<uint64_t>(left, left_at, right, right_at, count);
    case PhysicalType::INT128:
    case PhysicalType::UINT128:
      return SameValues<duckdb::hugeint_t>(left, left_at, right, right_at, count);
    case PhysicalType::FLOAT:
      return SameValues<float>(left, left_at, right, right_at, count);
    case PhysicalType::DOUBLE:
      return SameValues<double>(left, left_at, right, right_at, count);
    case PhysicalType::VARCHAR:
      return SameValues<duckdb::string_t>(left, left_at, right, right_at, count);
    default:
      // Nested and rare types: as text.
      for (size_t i = 0; i < count; ++i) {
        if (left.GetValue(left_at + i).ToString() != right.GetValue(right_at + i).ToString()) {
          return false;
        }
      }
      return true;
  }
}

//! A value as text. DuckDB refuses to make a Value of a string that is not valid UTF-8, and a wrong
//! answer may hold one.
std::optional<std::string> Text(duckdb::DataChunk& chunk, size_t column, size_t row) {
  try {
    auto value = chunk.GetValue(column, row);
    return value.IsNull() ? std::nullopt : std::optional<std::string>(value.ToString());
  } catch (const std::exception&) {
    return "(invalid)";
  }
}

bool Close(const std::string& left, const std::string& right) {
  double a = std::stod(left);
  double b = std::stod(right);
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return true;
  }
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

bool SameRow(const TextRow& left, const TextRow& right, const std::vector<bool>& tolerant) {
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) {
      continue;
    }
    if (!tolerant[i] || !left[i] || !right[i] || !Close(*left[i], *right[i])) {
      return false;
    }
  }
  return true;
}

//! Sorts rows; columns compared with tolerance come last, so that almost equal rows stay in step.
void SortRows(std::vector<TextRow>& rows, const std::vector<bool>& tolerant) {
  auto before = [&](const TextRow& left, const TextRow& right) {
    for (bool last : {false, true}) {
      for (size_t i = 0; i < left.size(); ++i) {
        if (tolerant[i] == last && left[i] != right[i]) {
          return left[i] < right[i];
        }
      }
    }
    return false;
  };
  std::sort(rows.begin(), rows.end(), before);
}

void Sort(std::vector<TextRow>& rows, SortMode sort, const std::vector<bool>& tolerant) {
  if (sort == SortMode::Rows) {
    SortRows(rows, tolerant);
  } else if (sort == SortMode::Values) {
    std::vector<TextRow> values;
    for (auto& row : rows) {
      for (auto& value : row) {
        values.push_back({std::move(value)});
      }
    }
    std::sort(values.begin(), values.end());
    rows = std::move(values);
  }
}

//! The rows that differ, `-` what was wanted and `+` what came; empty where none does.
std::string RowDifference(const std::vector<TextRow>& wanted, const std::vector<TextRow>& found,
                          const std::vector<bool>& tolerant) {
  std::ostringstream text;
  if (wanted.size() != found.size()) {
    text << "  " << wanted.size() << " rows expected, " << found.size() << " found\n";
  }
  size_t differing = 0;
  for (size_t i = 0; i < std::max(wanted.size(), found.size()); ++i) {
    if (i < wanted.size() && i < found.size() && SameRow(wanted[i], found[i], tolerant)) {
      continue;
    }
    if (++differing > kShownRows) {
      continue;
    }
    text << "  row " << i << "\n";
    if (i < wanted.size()) {
      text << "  - " << Print(wanted[i]) << "\n";
    }
    if (i < found.size()) {
      text << "  + " << Print(found[i]) << "\n";
    }
    if (i < wanted.size() && i < found.size()) {
      text << "    columns (from 1):";
      for (size_t column = 0; column < wanted[i].size(); ++column) {
        if (wanted[i][column] != found[i][column]) {
          text << " " << column + 1;
        }
      }
      text << "\n";
    }
  }
  if (differing > kShownRows) {
    text << "  and " << differing - kShownRows << " more rows\n";
  }
  return text.str();
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

TextRow Split(const std::string& line, size_t columns) {
  TextRow row;
  size_t begin = 0;
  while (true) {
    // A single column may hold tabs.
    auto end = row.size() + 1 == columns ? std::string::npos : line.find('\t', begin);
    auto field = line.substr(begin, end == std::string::npos ? end : end - begin);
    if (field == "NULL") {
      row.emplace_back();
    } else {
      row.emplace_back(field == "(empty)" ? "" : field);
    }
    if (end == std::string::npos) {
      return row;
    }
    begin = end + 1;
  }
}

}  // namespace

Answer Answer::Of(duckdb::Connection& connection, const std::string& sql) {
  Answer answer;
  auto result = connection.Query(sql);
  if (result->HasError()) {
    answer.error_ = result->GetError();
    return answer;
  }
  answer.names_ = {result->names.begin(), result->names.end()};
  answer.types_ = result->types;
  answer.rows_ = result->TakeCollection();
  return answer;
}

std::vector<TextRow> Answer::Rows() const {
  std::vector<TextRow> rows;
  if (!rows_) {
    return rows;
  }
  rows.reserve(rows_->Count());
  for (auto& chunk : rows_->Chunks()) {
    for (size_t i = 0; i < chunk.size(); ++i) {
      TextRow row(chunk.ColumnCount());
      for (size_t column = 0; column < row.size(); ++column) {
        row[column] = Text(chunk, column, i);
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<bool> Answer::FloatColumns() const {
  std::vector<bool> floats;
  for (const auto& type : types_) {
    floats.push_back(type.IsFloating());
  }
  return floats;
}

bool Answer::SameRowsInOrder(const Answer& other) const {
  if (RowCount() != other.RowCount()) {
    return false;
  }
  if (RowCount() == 0) {
    return true;
  }
  Cursor left(*rows_);
  Cursor right(*other.rows_);
  while (size_t count = std::min(left.Available(), right.Available())) {
    for (size_t column = 0; column < ColumnCount(); ++column) {
      if (!SameColumn(left.Chunk().data[column], left.Used(), right.Chunk().data[column],
                      right.Used(), count)) {
        return false;
      }
    }
    left.Advance(count);
    right.Advance(count);
  }
  return true;
}

std::string Answer::DifferenceTo(const Answer& other, SortMode sort, bool tolerant) const {
  if (names_ != other.names_) {
    return "  names\n  - " + Join(names_) + "\n  + " + Join(other.names_) + "\n";
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    if (types_[i] != other.types_[i]) {
      return "  type of column " + names_[i] + "\n  - " + types_[i].ToString() + "\n  + " +
             other.types_[i].ToString() + "\n";
    }
  }
  if (SameRowsInOrder(other)) {
    return "";
  }
  auto wanted = Rows();
  auto found = other.Rows();
  auto tolerances = tolerant ? FloatColumns() : std::vector<bool>(ColumnCount());
  Sort(wanted, sort, tolerances);
  Sort(found, sort, tolerances);
  auto difference = RowDifference(wanted, found, tolerances);
  if (difference.empty() && sort == SortMode::None && !tolerant) {
    return "  values that print alike differ in their bits\n";
  }
  return difference;
}

std::string Answer::DifferenceTo(const std::vector<std::string>& lines, SortMode sort) const {
  std::vector<TextRow> wanted;
  size_t columns = sort == SortMode::Values ? 1 : ColumnCount();
  for (const auto& line : lines) {
    wanted.push_back(Split(line, columns));
    if (wanted.back().size() != columns) {
      return "  an expected row does not have " + std::to_string(columns) + " columns: " + line +
             "\n";
    }
  }
  auto found = Rows();
  std::vector<bool> exact(ColumnCount());
  Sort(found, sort, exact);
  if (sort != SortMode::None) {
    std::sort(wanted.begin(), wanted.end());
  }
  return RowDifference(wanted, found, exact);
}

std::string Print(const TextRow& row) {
  std::string text;
  for (size_t i = 0; i < row.size(); ++i) {
    text += (i == 0 ? "" : "\t") + (!row[i] ? "NULL" : row[i]->empty() ? "(empty)" : *row[i]);
  }
  return text;
}

}  // namespace margay::test
