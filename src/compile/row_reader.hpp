#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/column_image.hpp"

namespace margay::compile {

//! A column that a kernel reads: kernel argument `column<number>`, if it has NULLs
//! `validity<number>`, and if it is text `text<number>`.
struct InputColumn {
  size_t number = 0;
  std::string name;
  std::shared_ptr<const storage::ColumnImage> image;

  bool IsText() const { return image->GetEncoding() == storage::Encoding::Text; }
};

//! How generated code gets at the columns of the row at hand; differs between the shapes.
class RowReader {
 public:
  virtual ~RowReader() = default;
  //! The encoded word of a column (of a wide column: its word `word`, 0 low or 1 high).
  virtual std::string Encoded(const InputColumn& column, int word) const = 0;
  //! An int that is 1 where the column is NULL; the column has a validity bitmap.
  virtual std::string IsNull(const InputColumn& column) const = 0;
};

//! Reads row `row` of the segment straight from memory.
class DirectReader : public RowReader {
 public:
  std::string Encoded(const InputColumn& column, int word) const override;
  std::string IsNull(const InputColumn& column) const override;
};

}  // namespace margay::compile
