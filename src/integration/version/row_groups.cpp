#include "integration/version/row_groups.hpp"

#include <algorithm>

#include "duckdb/storage/table/row_group.hpp"
#include "duckdb/storage/table/row_group_segment_tree.hpp"
#include "duckdb/storage/table/scan_state.hpp"
#include "duckdb/transaction/duck_transaction.hpp"

namespace margay::integration {
namespace {

//! Whether a vector is one of those that are to be read of the row group.
bool IsIn(const duckdb::CollectionScanState& state, duckdb::idx_t vector) {
  return vector * STANDARD_VECTOR_SIZE < state.max_row_group_row;
}

uint64_t VisibleRowsOfVector(duckdb::CollectionScanState& state,
                             duckdb::DuckTransaction& transaction, duckdb::idx_t vector) {
  duckdb::SelectionVector selection(STANDARD_VECTOR_SIZE);
  auto rows = std::min<duckdb::idx_t>(STANDARD_VECTOR_SIZE,
                                      state.max_row_group_row - vector * STANDARD_VECTOR_SIZE);
  return state.row_group->GetNode().GetSelVector(duckdb::TransactionData(transaction), vector,
                                                 selection, rows);
}

}  // namespace

bool IsInRowGroup(const duckdb::TableScanState& state) {
  return state.table_state.row_group != nullptr;
}

void LeaveRowGroup(duckdb::TableScanState& state) {
  state.table_state.row_group = nullptr;
}

uint64_t BatchNumber(const duckdb::TableScanState& state) {
  return state.table_state.batch_index + (IsInRowGroup(state) ? 0 : state.local_state.batch_index);
}

uint64_t VisibleRows(duckdb::TableScanState& state, duckdb::DuckTransaction& transaction) {
  uint64_t rows = 0;
  for (auto vector = state.table_state.vector_index; IsIn(state.table_state, vector); vector++) {
    rows += VisibleRowsOfVector(state.table_state, transaction, vector);
  }
  return rows;
}

uint64_t SkipVisibleRows(duckdb::TableScanState& state, duckdb::DuckTransaction& transaction,
                         uint64_t rows) {
  auto& table = state.table_state;
  uint64_t skipped = 0;
  while (IsIn(table, table.vector_index)) {
    const uint64_t next = VisibleRowsOfVector(table, transaction, table.vector_index);
    if (skipped + next > rows) {
      break;
    }
    skipped += next;
    table.row_group->GetNode().NextVector(table);
  }
  return skipped;
}

}  // namespace margay::integration
