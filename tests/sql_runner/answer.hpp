#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "script.hpp"

namespace margay::test {

//! One row as text; nothing for NULL.
using TextRow = std::vector<std::optional<std::string>>;

//! The whole result of a query, or its error.
class Answer {
 public:
  //! Runs `sql` (one statement) on `connection` to its end.
  static Answer Of(duckdb::Connection& connection, const std::string& sql);

  bool HasError() const { return !error_.empty(); }
  const std::string& Error() const { return error_; }
  size_t ColumnCount() const { return names_.size(); }
  size_t RowCount() const { return rows_ ? rows_->Count() : 0; }
  std::vector<TextRow> Rows() const;

  //! Where `other` differs from this answer: names, types or rows; empty where it does not. Rows
  //! are compared exactly, down to the sign of a zero (NaNs are one value), in order unless `sort`
  //! says otherwise; `tolerant` allows floating-point columns a relative difference.
  std::string DifferenceTo(const Answer& other, SortMode sort, bool tolerant) const;
  //! Where the rows differ from the lines of a test file.
  std::string DifferenceTo(const std::vector<std::string>& lines, SortMode sort) const;

 private:
  bool SameRowsInOrder(const Answer& other) const;
  std::vector<bool> FloatColumns() const;

  std::string error_;
  std::vector<std::string> names_;
  duckdb::vector<duckdb::LogicalType> types_;
  std::shared_ptr<duckdb::ColumnDataCollection> rows_;
};

//! A row as test files write it.
std::string Print(const TextRow& row);

}  // namespace margay::test
