#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "integration/image/read_control.hpp"
#include "integration/image/vector_converter.hpp"
#include "memory/extent_pool.hpp"
#include "plan/node.hpp"
#include "storage/refused_column.hpp"
#include "storage/table_image_builder.hpp"

namespace duckdb {
class ClientContext;
class DataChunk;
}  // namespace duckdb

namespace margay::integration {

//! A column that storage does not take.
class ColumnRefusal : public storage::RefusedColumn {
 public:
  ColumnRefusal(uint64_t column, const storage::RefusedColumn& refusal)
      : RefusedColumn(refusal), column_(column) {}

  //! The id of its specification.
  uint64_t Column() const { return column_; }

 private:
  uint64_t column_;
};

//! Columns that were read and encoded.
struct ReadColumns {
  uint64_t rows = 0;
  size_t segments_per_extent = 0;
  //! In the order of the specifications.
  std::vector<std::shared_ptr<const storage::ColumnImage>> columns;

  //! As an image of their own; `scanned` are the columns that they were read for.
  std::shared_ptr<storage::TableImage> MakeImage(
      const std::vector<plan::ScanColumn>& scanned) const;
};

//! What storage has to know to encode them.
std::vector<storage::ColumnSpecification> Specify(const std::vector<plan::ScanColumn>& columns);

//! Encodes columns of rows that come as DuckDB's chunks, in batches and from several threads.
class ColumnEncoder {
 public:
  //! The part of the whole work that reading is, for the progress shown; the rest is encoding.
  static constexpr double kShareOfReading = 0.7;

  //! See storage::BuildOptions.
  ColumnEncoder(std::vector<storage::ColumnSpecification> columns, memory::ExtentPool& pool,
                storage::BuildOptions options);

  //! For the rows of one extent of `restored`, which belong to `columns`.
  ColumnEncoder(std::vector<storage::ColumnSpecification> columns, memory::ExtentPool& pool,
                const std::vector<std::shared_ptr<const storage::ColumnImage>>& restored);

  //! For one thread, one per column.
  std::vector<VectorConverter> MakeConverters() const;

  //! `batch_index` orders the batches; each index once, gaps allowed. Thread-safe.
  storage::BatchWriter StartBatch(uint64_t batch_index) { return builder_.StartBatch(batch_index); }

  //! Adds the first columns of `chunk` to a batch. Throws ColumnRefusal, memory::OutOfMemory.
  void Append(storage::BatchWriter& writer, std::vector<VectorConverter>& converters,
              duckdb::DataChunk& chunk);

  //! Encodes all batches, of `rows` rows together, with all of DuckDB's threads. Throws
  //! ColumnRefusal, memory::OutOfMemory, device::DeviceError, execute::Interrupted.
  ReadColumns Finish(duckdb::ClientContext& context, uint64_t rows, const ReadControl& control);

  //! In place of Finish(): brings back the data extent `extent`. Throws storage::RowsDiffer,
  //! memory::OutOfMemory, device::DeviceError, execute::Interrupted.
  std::vector<storage::PinnedExtents> Restore(duckdb::ClientContext& context, size_t extent,
                                              const ReadControl& control);

 private:
  const std::vector<storage::ColumnSpecification> columns_;
  memory::ExtentPool& pool_;
  const size_t segments_per_extent_;
  storage::TableImageBuilder builder_;
};

}  // namespace margay::integration
