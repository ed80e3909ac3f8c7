#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

#include "storage/column_image.hpp"

namespace margay::storage {

//! Rows that were read again are not those that an image was made of.
class RowsDiffer : public std::runtime_error {
 public:
  RowsDiffer() : std::runtime_error("the rows of the table are not those of its image any more") {}
};

//! Brings back extents whose content was dropped, by reading the rows of their table again. Used by
//! one thread at a time.
class ExtentSource {
 public:
  virtual ~ExtentSource() = default;

  //! Whether it has the rows of `column`.
  virtual bool Has(const ColumnImage& column) const = 0;

  //! What belongs to the data extent `extent` of `columns`, at least one and all of one table,
  //! which it has: what is lost of it is read and encoded again. Throws RowsDiffer,
  //! memory::OutOfMemory, device::DeviceError, and whatever reading throws.
  virtual std::vector<PinnedExtents> Restore(const std::vector<const ColumnImage*>& columns,
                                             size_t extent) = 0;
};

}  // namespace margay::storage
