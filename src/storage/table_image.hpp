#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "storage/column_image.hpp"
#include "storage/table_structure.hpp"

namespace margay::storage {

//! Encoded columns of one snapshot of a table, by column id. Rows and the cut into segments and
//! extents are the same for all. Thread-safe: columns may come and go while others read; a column
//! that was found stays alive as long as its pointer is held.
class TableImage {
 public:
  TableImage(uint64_t rows, size_t segments_per_extent);

  uint64_t Rows() const { return rows_; }
  size_t SegmentCount() const;
  size_t SegmentsPerExtent() const { return segments_per_extent_; }
  size_t ExtentCount() const;

  //! Adds a column, or replaces the one with the same id. Throws std::logic_error where its rows or
  //! its segments per extent differ from the image's.
  void AddColumn(uint64_t id, std::shared_ptr<const ColumnImage> column);

  //! nullptr where there is no such column.
  std::shared_ptr<const ColumnImage> Find(uint64_t id) const;

  //! Whether there was such a column.
  bool Remove(uint64_t id);

  //! Ascending.
  std::vector<uint64_t> ColumnIds() const;

  //! Sum over the columns.
  size_t Bytes() const;

  //! What was computed of the columns, and is kept as long as the image.
  TableStructures& Structures() { return structures_; }
  const TableStructures& Structures() const { return structures_; }

 private:
  const uint64_t rows_;
  const size_t segments_per_extent_;
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<const ColumnImage>> columns_;
  TableStructures structures_;
};

}  // namespace margay::storage
