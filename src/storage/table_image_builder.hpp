#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "memory/extent_pool.hpp"
#include "memory/host_allocator.hpp"
#include "storage/batch_writer.hpp"
#include "storage/build_options.hpp"
#include "storage/column_builder.hpp"
#include "storage/column_specification.hpp"
#include "storage/parallel_for.hpp"
#include "storage/table_image.hpp"

namespace margay::storage {

//! Builds columns of one snapshot from any source that can tell in which order its batches come:
//!
//!   TableImageBuilder builder({{0, "a", type}, {3, "b", type}}, allocator);
//!   on each worker: writer = builder.StartBatch(index); writer.Append(0, chunk); ...
//!   writer.Close(); when all are done: image = builder.Finish(pool, parallel_for);
//!
//! A source that is interrupted just destroys its writers and then the builder. StartBatch() and
//! StagedBytes() are thread-safe; Finish and FinishColumn are called when all writers are gone, and
//! FinishColumn may run for different columns at the same time.
class TableImageBuilder {
 public:
  //! Throws RefusedColumn where a type has no encoding. Staging memory comes from `allocator`.
  TableImageBuilder(std::vector<ColumnSpecification> columns,
                    const std::shared_ptr<memory::HostAllocator>& allocator,
                    BuildOptions options = {});
  //! For the rows of one extent of `restored`, which belong to `columns`: RestoreColumn() takes the
  //! place of FinishColumn().
  TableImageBuilder(std::vector<ColumnSpecification> columns,
                    const std::vector<std::shared_ptr<const ColumnImage>>& restored,
                    const std::shared_ptr<memory::HostAllocator>& allocator);
  ~TableImageBuilder();
  TableImageBuilder(const TableImageBuilder&) = delete;
  TableImageBuilder& operator=(const TableImageBuilder&) = delete;

  size_t ColumnCount() const { return columns_.size(); }
  ColumnBuilder& Column(size_t column) { return *columns_[column]; }

  //! `batch_index` orders the batches; each index once, gaps allowed.
  BatchWriter StartBatch(uint64_t batch_index);

  //! Host memory held for staging, by all columns.
  size_t StagedBytes() const;

  //! One column, for an image that exists already or where other columns were refused. Once per
  //! column. Throws as ColumnBuilder::Finish().
  std::shared_ptr<const ColumnImage> FinishColumn(size_t column, memory::ExtentPool& pool,
                                                  const ParallelFor& parallel_for = SequentialFor);

  //! One column of the data extent `extent`. Throws as ColumnBuilder::Restore().
  PinnedExtents RestoreColumn(size_t column, size_t extent, memory::ExtentPool& pool,
                              const ParallelFor& parallel_for = SequentialFor);

  //! All columns as a new image, by their ids. Throws as ColumnBuilder::Finish() for the first
  //! column that fails.
  std::shared_ptr<TableImage> Finish(memory::ExtentPool& pool,
                                     const ParallelFor& parallel_for = SequentialFor);

 private:
  std::vector<std::unique_ptr<ColumnBuilder>> columns_;
  BuildOptions options_;
};

}  // namespace margay::storage
