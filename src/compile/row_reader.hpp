#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/parameters.hpp"
#include "plan/expression.hpp"
#include "storage/column_image.hpp"

namespace margay::compile {

//! A column that a kernel reads: kernel argument `column<number>`, if it has NULLs
//! `validity<number>`, and if it is text `text<number>`. Where its values are rows of another text
//! column, that column is `ends<number>`, and the bytes are its.
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

//! PoCL allows 1,024 bytes of kernel arguments; a pointer takes 8.
inline constexpr size_t kMostArguments = 120;

//! The OpenCL C type of an encoded word.
std::string EncodedType(const InputColumn& column);

//! The kernel arguments of a column that is scanned, one extent at a time unless it is whole.
std::vector<std::string> ScanArguments(const InputColumn& column);
//! Those of a column of which a launch gets all extents: extent e of several, from 1 on, is
//! `column<number>_<e>` and `validity<number>_<e>`, and of the bytes of text `text<number>_<e>`.
std::vector<std::string> GatherArguments(const InputColumn& column);

//! The kernel argument that is the packed strings of the column's dictionary.
std::string StringsArgument(const InputColumn& column);

//! The variable that holds the number of a joined table's row.
std::string JoinedRow(size_t table);

//! How generated code gets at the columns of the row at hand; differs between the shapes.
class RowReader {
 public:
  virtual ~RowReader() = default;
  //! The encoded word of a column (of a wide column: its word `word`, 0 low or 1 high).
  virtual std::string Encoded(const InputColumn& column, int word) const = 0;
  //! A flag: the column is NULL; the column has a validity bitmap.
  virtual std::string IsNull(const InputColumn& column) const = 0;
  //! The base of a narrow column's segment, an unsigned integer of the value's width.
  virtual std::string Base(const InputColumn& column) const;
};

//! Reads row `row` of the segment straight from memory.
class DirectReader : public RowReader {
 public:
  std::string Encoded(const InputColumn& column, int word) const override;
  std::string IsNull(const InputColumn& column) const override;
};

//! Reads a row that is found by its number: row `row<table>` of a table that was joined, or row 0
//! in place of none.
class GatherReader : public RowReader {
 public:
  //! `can_be_missing`: row<table> may be -1.
  GatherReader(Parameters& parameters, bool can_be_missing)
      : parameters_(parameters), can_be_missing_(can_be_missing) {}
  //! Reads the row whose number is the variable `row`, of any column.
  GatherReader(Parameters& parameters, std::string row)
      : parameters_(parameters), can_be_missing_(false), row_(std::move(row)) {}

  std::string Encoded(const InputColumn& column, int word) const override;
  std::string IsNull(const InputColumn& column) const override;
  std::string Base(const InputColumn& column) const override;
  //! The row's number.
  std::string Row(const InputColumn& column) const;
  //! The extent that holds the row, of the arguments `name`<number> and those that follow, and the
  //! row's number there.
  std::string Extent(const InputColumn& column, const std::string& name) const;
  std::string RowInExtent(const InputColumn& column) const;
  //! The extent that holds the bytes of a text column's row.
  std::string TextExtent(const InputColumn& column) const;

 private:
  Parameters& parameters_;
  const bool can_be_missing_;
  const std::string row_;  //!< empty: that of the column's table
};

//! Reads the rows from `row`, a multiple of kVectorRows, on into a vector. May read a vector beyond
//! the last row: there is slack behind every extent.
class VectorReader : public RowReader {
 public:
  std::string Encoded(const InputColumn& column, int word) const override;
  std::string IsNull(const InputColumn& column) const override;
};

}  // namespace margay::compile
