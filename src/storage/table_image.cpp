#include "storage/table_image.hpp"

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "storage/constants.hpp"

namespace margay::storage {

TableImage::TableImage(uint64_t rows, size_t segments_per_extent)
    : rows_(rows), segments_per_extent_(segments_per_extent) {}

size_t TableImage::SegmentCount() const {
  return storage::SegmentCount(rows_);
}

size_t TableImage::ExtentCount() const {
  return (SegmentCount() + segments_per_extent_ - 1) / segments_per_extent_;
}

void TableImage::AddColumn(uint64_t id, std::shared_ptr<const ColumnImage> column) {
  if (column->Rows() != rows_) {
    throw std::logic_error("TableImage: a column of " + std::to_string(column->Rows()) +
                           " rows in an image of " + std::to_string(rows_));
  }
  if (column->SegmentsPerExtent() != segments_per_extent_) {
    throw std::logic_error(
        "TableImage: a column with " + std::to_string(column->SegmentsPerExtent()) +
        " segments per extent in an image with " + std::to_string(segments_per_extent_));
  }
  std::unique_lock lock(mutex_);
  columns_[id].swap(column);
  lock.unlock();  // A replaced column is freed without the lock.
}

std::shared_ptr<const ColumnImage> TableImage::Find(uint64_t id) const {
  std::shared_lock lock(mutex_);
  auto found = columns_.find(id);
  return found == columns_.end() ? nullptr : found->second;
}

bool TableImage::Remove(uint64_t id) {
  std::shared_ptr<const ColumnImage> removed;
  std::unique_lock lock(mutex_);
  auto found = columns_.find(id);
  if (found == columns_.end()) {
    return false;
  }
  removed = std::move(found->second);
  columns_.erase(found);
  return true;
}

std::vector<uint64_t> TableImage::ColumnIds() const {
  std::shared_lock lock(mutex_);
  std::vector<uint64_t> ids;
  ids.reserve(columns_.size());
  for (const auto& [id, column] : columns_) {
    ids.push_back(id);
  }
  return ids;
}

size_t TableImage::Bytes() const {
  std::shared_lock lock(mutex_);
  size_t bytes = 0;
  for (const auto& [id, column] : columns_) {
    bytes += column->Bytes();
  }
  return bytes;
}

}  // namespace margay::storage
