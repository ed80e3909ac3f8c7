#pragma once

#include "duckdb/planner/column_binding.hpp"

namespace margay::integration {

//! The number, in a query, of the table that columns of an operator belong to. A number in some
//! versions of DuckDB, and a type of its own in others.
using TableIndex = duckdb::idx_t;

//! The number of a column among those of an operator, likewise.
using ColumnNumber = duckdb::idx_t;

//! The columns that an operator passes on, in order; empty for all of them.
using ProjectionMap = duckdb::vector<ColumnNumber>;

//! The number to count with.
inline size_t ToSize(ColumnNumber number) {
  return number;
}

//! Column `column` of the table `table`.
inline duckdb::ColumnBinding MakeBinding(TableIndex table, size_t column) {
  return duckdb::ColumnBinding(table, ColumnNumber(column));
}

}  // namespace margay::integration
