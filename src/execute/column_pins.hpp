#pragma once

#include <memory>
#include <string>
#include <vector>

#include "optimize/physical/input_column.hpp"
#include "storage/extent_source.hpp"

namespace margay::execute {

//! Pins extents of columns, and brings back those that are lost where there is a source of their
//! rows. Columns that no source has can be held. Not thread-safe.
class ColumnPins {
 public:
  //! `source` may be null. `restored` counts the extents of columns that had to be brought back.
  ColumnPins(std::shared_ptr<storage::ExtentSource> source, uint64_t& restored)
      : source_(std::move(source)), restored_(restored) {}

  //! Pins all of these columns that the source lacks, until Release; of one that refers to text,
  //! that text. Throws ImageLost.
  void Hold(const std::vector<optimize::InputColumn>& columns);
  void Release() { held_.clear(); }

  //! What belongs to the data extent `extent` of `columns`, all of one table. Throws ImageLost, and
  //! as ExtentSource::Restore().
  std::vector<storage::PinnedExtents> Pin(const std::vector<const storage::ColumnImage*>& columns,
                                          size_t extent);
  //! All extents of a column.
  storage::PinnedExtents PinWhole(const storage::ColumnImage& column);
  //! One text extent of a column.
  memory::ExtentPin PinText(const storage::ColumnImage& column, size_t text);

 private:
  const std::shared_ptr<storage::ExtentSource> source_;
  std::vector<storage::PinnedExtents> held_;
  uint64_t& restored_;
};

}  // namespace margay::execute
