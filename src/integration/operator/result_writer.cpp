#include "integration/operator/result_writer.hpp"

#include <cstring>

namespace margay::integration {
namespace {

duckdb::string_t StringOf(const storage::Dictionary& dictionary, uint32_t code) {
  auto value = dictionary.Value(code);
  return {value.data(), static_cast<uint32_t>(value.size())};
}

const uint32_t* CodesOf(const execute::ResultColumn& column, size_t position) {
  return reinterpret_cast<const uint32_t*>(column.values) + position;
}

//! Fills a flat vector of strings with `rows` rows of `column`, from `position` on; `string_of`
//! gives the string of a row that is not NULL.
template <typename StringOfRow>
void FillStrings(duckdb::Vector& vector, const execute::ResultColumn& column, size_t position,
                 size_t rows, const StringOfRow& string_of) {
  auto* strings = FlatValues<duckdb::string_t>(vector);
  auto& validity = FlatValidity(vector);
  for (size_t i = 0; i < rows; i++) {
    if (column.validity != nullptr && column.validity[position + i] == 0) {
      validity.SetInvalid(i);
    } else {
      strings[i] = string_of(i);
    }
  }
}

}  // namespace

void ResultWriter::SetBatch(execute::ResultBatch batch) {
  batch_ = std::move(batch);
  position_ = 0;
}

size_t ResultWriter::Write(duckdb::DataChunk& chunk) {
  size_t rows = std::min<size_t>(STANDARD_VECTOR_SIZE, batch_.rows - position_);
  if (rows == 0) {
    return 0;
  }
  if (batch_.columns.size() != chunk.ColumnCount()) {
    throw std::logic_error("a device part gave " + std::to_string(batch_.columns.size()) +
                           " columns instead of " + std::to_string(chunk.ColumnCount()));
  }
  for (size_t i = 0; i < batch_.columns.size(); i++) {
    const auto& column = batch_.columns[i];
    if (!column.type.IsVarchar()) {
      WriteFixed(chunk.data[i], column, rows);
    } else if (!column.dictionary) {
      WriteTexts(chunk.data[i], column, rows);
    } else if (column.dictionary->Size() <= batch_.rows) {
      WriteCodes(chunk.data[i], column, rows);
    } else {
      WriteStrings(chunk.data[i], column, rows);
    }
  }
  position_ += rows;
  chunk.SetCardinality(rows);
  return rows;
}

void ResultWriter::WriteFixed(duckdb::Vector& vector, const execute::ResultColumn& column,
                              size_t rows) const {
  auto width = static_cast<size_t>(column.type.PhysicalBytes());
  if (duckdb::GetTypeIdSize(vector.GetType().InternalType()) != width) {
    throw std::logic_error("a device part gave " + column.type.ToString() +
                           " where DuckDB expects " + vector.GetType().ToString());
  }
  std::memcpy(FlatBytes(vector), column.values + position_ * width, rows * width);
  if (column.validity == nullptr) {
    return;
  }
  auto& validity = FlatValidity(vector);
  for (size_t i = 0; i < rows; i++) {
    if (column.validity[position_ + i] == 0) {
      validity.SetInvalid(i);
    }
  }
}

void ResultWriter::WriteTexts(duckdb::Vector& vector, const execute::ResultColumn& column,
                              size_t rows) const {
  const auto* texts = reinterpret_cast<const std::string_view*>(column.values) + position_;
  // Copies: the batch and the pins of its column end before the vector may.
  FillStrings(vector, column, position_, rows,
              [&](size_t i) { return AddString(vector, texts[i]); });
}

void ResultWriter::WriteStrings(duckdb::Vector& vector, const execute::ResultColumn& column,
                                size_t rows) {
  const auto* codes = CodesOf(column, position_);
  FillStrings(vector, column, position_, rows,
              [&](size_t i) { return StringOf(*column.dictionary, codes[i]); });
  KeepAlive(vector, column.dictionary);
}

void ResultWriter::WriteCodes(duckdb::Vector& vector, const execute::ResultColumn& column,
                              size_t rows) {
  const auto* codes = CodesOf(column, position_);
  auto null_index = static_cast<uint32_t>(column.dictionary->Size());
  duckdb::SelectionVector selection(rows);
  for (size_t i = 0; i < rows; i++) {
    bool is_null = column.validity != nullptr && column.validity[position_ + i] == 0;
    selection.set_index(i, is_null ? null_index : codes[i]);
  }
  Shared(column.dictionary).Select(selection, vector);
}

const SharedDictionary& ResultWriter::Shared(const DictionaryPointer& dictionary) {
  auto& result = dictionaries_[dictionary];
  if (!result) {
    size_t size = dictionary->Size();
    result.emplace(size + 1);
    auto& vector = result->Strings();
    auto* strings = FlatValues<duckdb::string_t>(vector);
    for (size_t i = 0; i < size; i++) {
      strings[i] = StringOf(*dictionary, static_cast<uint32_t>(i));
    }
    FlatValidity(vector).SetInvalid(size);
    KeepAlive(vector, dictionary);
  }
  return *result;
}

}  // namespace margay::integration
