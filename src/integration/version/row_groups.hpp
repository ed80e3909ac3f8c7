#pragma once

#include <cstdint>

namespace duckdb {
class DuckTransaction;
class TableScanState;
}  // namespace duckdb

namespace margay::integration {

//! These are about a parallel scan of a table, for which DataTable::NextParallelScan() gives one
//! row group of the table after the other, and at the end the rows that the transaction has added.

//! Whether the scan stands in a row group of the table.
bool IsInRowGroup(const duckdb::TableScanState& state);

//! Makes the scan stand in none, until NextParallelScan().
void LeaveRowGroup(duckdb::TableScanState& state);

//! The place of what the scan stands in among all row groups and the transaction's rows.
uint64_t BatchNumber(const duckdb::TableScanState& state);

//! The rows of the rest of the row group that the transaction sees.
uint64_t VisibleRows(duckdb::TableScanState& state, duckdb::DuckTransaction& transaction);

//! Leaves out whole vectors of the row group, as long as the transaction sees no more than `rows`
//! rows of them together. Returns how many rows these are.
uint64_t SkipVisibleRows(duckdb::TableScanState& state, duckdb::DuckTransaction& transaction,
                         uint64_t rows);

}  // namespace margay::integration
