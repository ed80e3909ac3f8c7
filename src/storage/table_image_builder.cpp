#include "storage/table_image_builder.hpp"

#include <utility>

#include "storage/constants.hpp"

namespace margay::storage {

TableImageBuilder::TableImageBuilder(std::vector<ColumnSpecification> columns,
                                     const std::shared_ptr<memory::HostAllocator>& allocator,
                                     BuildOptions options)
    : options_(options) {
  columns_.reserve(columns.size());
  for (ColumnSpecification& column : columns) {
    columns_.push_back(std::make_unique<ColumnBuilder>(std::move(column), allocator, options));
  }
}

TableImageBuilder::TableImageBuilder(
    std::vector<ColumnSpecification> columns,
    const std::vector<std::shared_ptr<const ColumnImage>>& restored,
    const std::shared_ptr<memory::HostAllocator>& allocator) {
  columns_.reserve(columns.size());
  for (size_t i = 0; i < columns.size(); i++) {
    columns_.push_back(
        std::make_unique<ColumnBuilder>(std::move(columns[i]), restored[i], allocator));
  }
}

TableImageBuilder::~TableImageBuilder() = default;

BatchWriter TableImageBuilder::StartBatch(uint64_t batch_index) {
  return BatchWriter(*this, batch_index);
}

size_t TableImageBuilder::StagedBytes() const {
  size_t bytes = 0;
  for (const std::unique_ptr<ColumnBuilder>& column : columns_) {
    bytes += column->StagedBytes();
  }
  return bytes;
}

std::shared_ptr<const ColumnImage> TableImageBuilder::FinishColumn(
    size_t column, memory::ExtentPool& pool, const ParallelFor& parallel_for) {
  return columns_[column]->Finish(pool, parallel_for);
}

PinnedExtents TableImageBuilder::RestoreColumn(size_t column, size_t extent,
                                               memory::ExtentPool& pool,
                                               const ParallelFor& parallel_for) {
  return columns_[column]->Restore(extent, pool, parallel_for);
}

std::shared_ptr<TableImage> TableImageBuilder::Finish(memory::ExtentPool& pool,
                                                      const ParallelFor& parallel_for) {
  const uint64_t rows = columns_.empty() ? 0 : columns_.front()->Rows();
  const size_t segments_per_extent = options_.segments_per_extent != 0
                                         ? options_.segments_per_extent
                                         : SegmentsPerExtent(pool.Device()->Info().largest_buffer);
  auto image = std::make_shared<TableImage>(rows, segments_per_extent);
  for (const std::unique_ptr<ColumnBuilder>& column : columns_) {
    image->AddColumn(column->Specification().id, column->Finish(pool, parallel_for));
  }
  return image;
}

}  // namespace margay::storage
