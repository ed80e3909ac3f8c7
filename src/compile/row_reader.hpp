#pragma once

#include <string>
#include <vector>

#include "compile/argument_list.hpp"
#include "optimize/physical/gathered_columns.hpp"
#include "optimize/physical/input_column.hpp"

namespace margay::compile {

using optimize::InputColumn;

//! PoCL allows 1,024 bytes of kernel arguments; a pointer takes 8.
inline constexpr size_t kMostArguments = 120;

//! The OpenCL C type of an encoded word.
std::string EncodedType(const InputColumn& column);

//! Adds the arguments of a column that is scanned, one extent at a time unless it is whole. Where
//! its values are rows of another text column, that column's are among them.
void AddScanArguments(const InputColumn& column, ArgumentList& arguments);
//! Those of a column of which a launch gets all extents.
void AddGatherArguments(const InputColumn& column, ArgumentList& arguments);

//! The variable of a parameter.
std::string ParameterName(size_t parameter);

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
  GatherReader(const optimize::GatheredColumns& columns, bool can_be_missing)
      : columns_(columns), can_be_missing_(can_be_missing) {}
  //! Reads the row whose number is the variable `row`, of any column.
  GatherReader(const optimize::GatheredColumns& columns, std::string row)
      : columns_(columns), can_be_missing_(false), row_(std::move(row)) {}

  std::string Encoded(const InputColumn& column, int word) const override;
  std::string IsNull(const InputColumn& column) const override;
  std::string Base(const InputColumn& column) const override;
  //! The row's number.
  std::string Row(const InputColumn& column) const;
  //! The extent that holds the row, of the arguments of `kind`, and the row's number there.
  std::string Extent(const InputColumn& column, ArgumentKind kind) const;
  std::string RowInExtent(const InputColumn& column) const;
  //! The extent that holds the bytes of a text column's row.
  std::string TextExtent(const InputColumn& column) const;

 private:
  const optimize::GatheredColumns& columns_;
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
