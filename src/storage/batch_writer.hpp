#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "storage/column_chunk.hpp"

namespace margay::storage {

class ColumnStager;
class TableImageBuilder;

//! Takes one batch: a run of consecutive rows of all columns of a builder. Columns are appended to
//! independently of each other, in any order; all must have got the same number of rows at Close().
//! A writer that is destroyed without Close() discards its rows. Move-only; one thread at a time;
//! must not outlive its builder.
class BatchWriter {
 public:
  //! For TableImageBuilder::StartBatch().
  BatchWriter(TableImageBuilder& builder, uint64_t batch_index);
  ~BatchWriter();
  BatchWriter(BatchWriter&& other) noexcept;
  BatchWriter& operator=(BatchWriter&&) = delete;
  BatchWriter(const BatchWriter&) = delete;
  BatchWriter& operator=(const BatchWriter&) = delete;

  //! Appends rows to the column at position `column`. Throws RefusedColumn where the column turns
  //! out to be one that storage doesn't take: the other columns may go on, and more calls for this
  //! one throw the same. Throws memory::OutOfMemory: the builder is then only good for destruction.
  void Append(size_t column, const ColumnChunk& chunk);

  //! Hands the batch over. Throws std::logic_error where columns differ in their number of rows.
  void Close();

 private:
  TableImageBuilder* builder_;
  uint64_t batch_index_;
  std::vector<std::unique_ptr<ColumnStager>> stagers_;
};

}  // namespace margay::storage
