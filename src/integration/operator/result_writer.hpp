#pragma once

#include <map>
#include <memory>
#include <optional>

#include "duckdb/common/types/data_chunk.hpp"
#include "execute/result_batch.hpp"
#include "integration/version/vectors.hpp"

namespace margay::integration {

//! Writes the batches of one run into DuckDB's chunks. Not thread-safe.
class ResultWriter {
 public:
  //! The rows to write next. Ends the batch before.
  void SetBatch(execute::ResultBatch batch);

  //! Fills `chunk` with the next rows of the batch, as many as fit, and returns their number; 0 at
  //! its end.
  size_t Write(duckdb::DataChunk& chunk);

 private:
  using DictionaryPointer = std::shared_ptr<const storage::Dictionary>;

  void WriteFixed(duckdb::Vector& vector, const execute::ResultColumn& column, size_t rows) const;
  void WriteTexts(duckdb::Vector& vector, const execute::ResultColumn& column, size_t rows) const;
  void WriteStrings(duckdb::Vector& vector, const execute::ResultColumn& column, size_t rows);
  void WriteCodes(duckdb::Vector& vector, const execute::ResultColumn& column, size_t rows);
  //! The dictionary for vectors, with NULL behind its last value.
  const SharedDictionary& Shared(const DictionaryPointer& dictionary);

  execute::ResultBatch batch_;
  size_t position_ = 0;
  std::map<DictionaryPointer, std::optional<SharedDictionary>> dictionaries_;
};

}  // namespace margay::integration
