#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/parameters.hpp"
#include "storage/column_image.hpp"

namespace margay::compile {

//! A column that a kernel reads: kernel argument `column<number>`, if it has NULLs
//! `validity<number>`, and if it is text `text<number>`.
struct InputColumn {
  size_t number = 0;
  size_t table = 0;
  std::string name;
  std::shared_ptr<const storage::ColumnForm> form;
  //! Of a table of the database; none if the column is computed on the device.
  std::shared_ptr<const storage::ColumnImage> image = nullptr;
  uint64_t id = 0;  //!< in its table: plan::ScanColumn::id

  bool IsText() const { return form->GetEncoding() == storage::Encoding::Text; }
};

//! PoCL allows 1,024 bytes of kernel arguments; a pointer takes 8.
inline constexpr size_t kMostArguments = 120;

//! The OpenCL C type of an encoded word.
std::string EncodedType(const InputColumn& column);

//! The kernel arguments of a column.
std::vector<std::string> ColumnArguments(const InputColumn& column);

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

//! Reads row `row<table>` of a table that was joined, or row 0 in place of none; the table's
//! columns lie in one extent each.
class GatherReader : public RowReader {
 public:
  //! `can_be_missing`: row<table> may be -1.
  GatherReader(Parameters& parameters, bool can_be_missing)
      : parameters_(parameters), can_be_missing_(can_be_missing) {}

  std::string Encoded(const InputColumn& column, int word) const override;
  std::string IsNull(const InputColumn& column) const override;
  std::string Base(const InputColumn& column) const override;
  //! The row's number.
  std::string Row(const InputColumn& column) const;

 private:
  Parameters& parameters_;
  const bool can_be_missing_;
};

//! Reads the rows from `row`, a multiple of kVectorRows, on into a vector. May read a vector beyond
//! the last row: there is slack behind every extent.
class VectorReader : public RowReader {
 public:
  std::string Encoded(const InputColumn& column, int word) const override;
  std::string IsNull(const InputColumn& column) const override;
};

}  // namespace margay::compile
