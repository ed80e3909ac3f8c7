#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/expression.hpp"
#include "storage/column_image.hpp"

namespace margay::optimize {

//! A column that pipelines read.
struct InputColumn {
  size_t number = 0;
  size_t table = 0;
  std::string name;
  std::shared_ptr<const storage::ColumnForm> form;
  //! Of a table of the database; none if the column is computed on the device.
  std::shared_ptr<const storage::ColumnImage> image = nullptr;
  uint64_t id = 0;  //!< in its table: plan::ScanColumn::id
  //! Text: the slice of the form's strings that is meant, over one Column; null for all of them.
  plan::ExpressionPointer slice = nullptr;
  //! Of the scanned table: a launch gets all of its extents, as it reads strings of any rows.
  bool is_whole = false;

  //! Its strings are read as bytes.
  bool IsText() const { return HoldsText() || RefersToText(); }
  //! The bytes are the column's own, or those of the column whose rows its values are.
  bool HoldsText() const { return form->GetEncoding() == storage::Encoding::Text; }
  bool RefersToText() const { return form->GetEncoding() == storage::Encoding::TextRow; }
  //! The column that holds the bytes of text.
  const std::shared_ptr<const storage::ColumnImage>& TextImage() const {
    return RefersToText() ? form->TextSource() : image;
  }
  //! The slice of the strings of that column; null for all of them.
  const plan::ExpressionPointer& Slice() const { return slice ? slice : form->TextSlice(); }
};

//! The text column that `expression` is, or is a slice of; none if it is neither.
std::optional<InputColumn> FindTextColumn(const plan::Expression& expression,
                                          const std::vector<InputColumn>& columns);

//! The slice of the text column `column` that `expression`, the column itself or a slice, is.
InputColumn Sliced(InputColumn column, const plan::Expression& expression);

//! Whether an int can be the number of any row of the column that holds the bytes of `column`,
//! which is text.
bool CanNumberRows(const InputColumn& column);

//! Most bytes of a string of a text column.
Int128 LongestText(const InputColumn& column);

}  // namespace margay::optimize
