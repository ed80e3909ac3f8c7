#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "integration/version/vectors.hpp"
#include "storage/column_chunk.hpp"

namespace margay::integration {

//! Turns DuckDB's vectors of one column into chunks for storage, on one thread.
class VectorConverter {
 public:
  explicit VectorConverter(bool is_varchar) : is_varchar_(is_varchar) {}

  //! The rows of `vector` as a view that is good until the next call.
  storage::ColumnChunk Convert(duckdb::Vector& vector, size_t count);

 private:
  static constexpr size_t kWords = STANDARD_VECTOR_SIZE / 64;

  void ConvertDictionary(const DictionaryView& dictionary);
  void ConvertStrings(const duckdb::UnifiedVectorFormat& format, size_t count);

  const bool is_varchar_;
  duckdb::UnifiedVectorFormat format_;
  std::vector<std::string_view> views_;
  std::array<uint64_t, kWords> validity_;
  bool has_nulls_ = false;
  std::string dictionary_id_;
  uint64_t dictionary_number_ = 0;
  std::vector<std::string_view> dictionary_;
};

}  // namespace margay::integration
