#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "memory/extent.hpp"
#include "memory/extent_pin.hpp"
#include "storage/column_form.hpp"
#include "storage/dictionary_strings.hpp"

namespace margay::storage {

//! Where the segments of one data extent of a column lie, pinned.
struct PinnedExtents {
  std::vector<memory::ExtentPin> data;      //!< one
  std::vector<memory::ExtentPin> validity;  //!< one, or none where the column has no NULLs
  std::vector<memory::ExtentPin> texts;     //!< of a Text column, in order
};

//! One encoded column of a table image; constants.hpp draws how it lies in its extents. Immutable,
//! so thread-safe, but its extents may lose their content: pin them before use. What is lost an
//! ExtentSource may bring back.
class ColumnImage : public ColumnForm {
 public:
  //! What a ColumnImage is made of.
  struct Parts {
    plan::Type type;
    Encoding encoding = Encoding::Narrow;
    //! Bytes per row.
    size_t width = 1;
    uint64_t rows = 0;
    size_t segments_per_extent = 1;
    ColumnStatistics statistics;
    std::vector<SegmentStatistics> segments;
    std::vector<std::shared_ptr<memory::Extent>> data;
    std::vector<std::shared_ptr<memory::Extent>> validity;
    //! Text only: the bytes, and by segment the extent that holds its bytes.
    std::vector<std::shared_ptr<memory::Extent>> texts;
    std::vector<size_t> text_extents;
    std::shared_ptr<const Dictionary> dictionary;
  };

  //! Throws std::logic_error where the parts don't fit together.
  explicit ColumnImage(Parts parts);

  size_t SegmentsPerExtent() const { return segments_per_extent_; }

  //! One for every SegmentsPerExtent() segments.
  const std::vector<std::shared_ptr<memory::Extent>>& DataExtents() const { return data_; }
  //! As many, or none where the column has no NULLs.
  const std::vector<std::shared_ptr<memory::Extent>>& ValidityExtents() const { return validity_; }

  //! The bytes of a Text column: its segment s lies in extent TextExtentOf(s), from
  //! Segments()[s].base on. None for other encodings.
  const std::vector<std::shared_ptr<memory::Extent>>& TextExtents() const { return texts_; }
  size_t TextExtentOf(size_t segment) const { return text_extents_[segment]; }
  //! The first text extent of a data extent's segments; behind the last data extent, the number of
  //! text extents. 0 for other encodings.
  size_t FirstTextOf(size_t extent) const;

  //! What belongs to one data extent; none where anything of it is lost.
  std::optional<PinnedExtents> TryPin(size_t extent) const;

  //! The strings of the dictionary near the device.
  DictionaryStrings& Strings() const { return strings_; }

  //! Memory of extents, dictionary and statistics, lost extents included, but for Strings().
  size_t Bytes() const { return bytes_; }
  //! The same without lost extents.
  size_t HeldBytes() const;
  //! Whether any extent is lost.
  bool IsLost() const;
  //! Whether there are values, and the extents of all of them are lost.
  bool IsGone() const;

 private:
  const size_t segments_per_extent_;
  const std::vector<std::shared_ptr<memory::Extent>> data_;
  const std::vector<std::shared_ptr<memory::Extent>> validity_;
  const std::vector<std::shared_ptr<memory::Extent>> texts_;
  const std::vector<size_t> text_extents_;
  size_t bytes_ = 0;
  mutable DictionaryStrings strings_;
};

}  // namespace margay::storage
