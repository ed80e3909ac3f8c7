#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "plan/type.hpp"
#include "storage/dictionary.hpp"
#include "storage/encoding.hpp"
#include "storage/statistics.hpp"

namespace margay::plan {
class Expression;
}

namespace margay::storage {

class ColumnImage;

//! How a column is encoded and what is known about its values: all that kernels are generated from.
//! Of an image's column all of it is exact. Of a column that is computed on the device later, the
//! rows are the most that it can have, beside an estimate of how many there will be, its statistics
//! are bounds, and nothing is known about its segments.
class ColumnForm {
 public:
  struct Parts {
    plan::Type type;
    Encoding encoding = Encoding::Narrow;
    //! Bytes per row.
    size_t width = 1;
    uint64_t rows = 0;
    ColumnStatistics statistics;
    std::vector<SegmentStatistics> segments;
    bool has_validity = false;
    size_t extents = 1;
    //! All extents have as many, but the last.
    uint64_t rows_per_extent = 0;
    //! Text only.
    size_t text_extents = 0;
    std::shared_ptr<const Dictionary> dictionary;
    //! Of a key of groups: how many keys there are. No two rows have the same values in all of
    //! them. Else 0.
    size_t group_keys = 0;
    std::optional<uint64_t> expected_rows = std::nullopt;  //!< none: `rows`
    std::shared_ptr<const ColumnImage> text_source = nullptr;
    std::shared_ptr<const plan::Expression> text_slice = nullptr;
  };

  explicit ColumnForm(Parts parts) : parts_(std::move(parts)) {}

  const plan::Type& Type() const { return parts_.type; }
  Encoding GetEncoding() const { return parts_.encoding; }
  //! Bytes per row: 1, 2, 4, 8 or 16.
  size_t Width() const { return parts_.width; }
  uint64_t Rows() const { return parts_.rows; }
  //! An estimate where Rows() is only the most there can be.
  uint64_t ExpectedRows() const { return parts_.expected_rows.value_or(parts_.rows); }
  const ColumnStatistics& Statistics() const { return parts_.statistics; }
  const std::vector<SegmentStatistics>& Segments() const { return parts_.segments; }
  //! Whether there may be NULLs.
  bool HasValidity() const { return parts_.has_validity; }
  //! Extents of its values, the rows of each but the last, and extents of its bytes, which only
  //! Text has.
  size_t ExtentCount() const { return parts_.extents; }
  uint64_t RowsPerExtent() const { return parts_.rows_per_extent; }
  size_t TextExtentCount() const { return parts_.text_extents; }
  size_t GroupKeys() const { return parts_.group_keys; }
  //! Not null exactly where the encoding is Dictionary.
  const std::shared_ptr<const Dictionary>& GetDictionary() const { return parts_.dictionary; }
  //! The Text column that the values are rows of. Not null exactly where the encoding is TextRow.
  const std::shared_ptr<const ColumnImage>& TextSource() const { return parts_.text_source; }
  //! TextRow: the slice (plan::IsSlice) of that column that the strings are, over one Column; null
  //! where they are all of it.
  const std::shared_ptr<const plan::Expression>& TextSlice() const { return parts_.text_slice; }

 private:
  const Parts parts_;
};

}  // namespace margay::storage
