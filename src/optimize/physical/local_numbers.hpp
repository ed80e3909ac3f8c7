#pragma once

#include <cstddef>
#include <vector>

namespace margay::optimize {

//! How the columns and tables of a pipeline are numbered in its kernel: in the order in which it
//! reads them, so that pipelines that do the same have one kernel.
class LocalNumbers {
 public:
  //! `scanned` is table 0; SIZE_MAX where none is.
  explicit LocalNumbers(size_t scanned) : tables_{scanned} {}

  //! Gives a table or a column of the program a number, unless it has one.
  void AddTable(size_t table);
  void AddColumn(size_t column);

  bool HasTable(size_t table) const;
  //! The number of a table or a column. Throws std::logic_error where it has none.
  size_t TableOf(size_t table) const;
  size_t ColumnOf(size_t column) const;

 private:
  std::vector<size_t> tables_;
  std::vector<size_t> columns_;
};

}  // namespace margay::optimize
