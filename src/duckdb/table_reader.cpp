#include "duckdb/table_reader.hpp"

#include <atomic>

#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/storage/data_table.hpp"
#include "duckdb/storage/table/scan_state.hpp"
#include "duckdb/team.hpp"
#include "duckdb/transaction/duck_transaction.hpp"

namespace margay::integration {
namespace {

//! One parallel scan of some columns into a builder.
class TableScan {
 public:
  TableScan(duckdb::ClientContext& context, duckdb::DataTable& table,
            const std::vector<storage::ColumnSpecification>& columns, ColumnEncoder& encoder,
            const ReadControl& control)
      : context_(context),
        table_(table),
        transaction_(duckdb::DuckTransaction::Get(context, table.GetAttached())),
        encoder_(encoder),
        control_(control),
        expected_rows_(table.GetTotalRows()) {
    duckdb::vector<duckdb::ColumnIndex> indexes;
    auto table_types = table.GetTypes();
    for (const auto& column : columns) {
      indexes.emplace_back(column.id);
      storage_ids_.emplace_back(column.id);
      types_.push_back(table_types[column.id]);
    }
    if (columns.empty()) {
      // Only the number of rows is wanted.
      indexes.emplace_back(duckdb::COLUMN_IDENTIFIER_ROW_ID);
      storage_ids_.emplace_back(duckdb::COLUMN_IDENTIFIER_ROW_ID);
      types_.push_back(duckdb::LogicalType::ROW_TYPE);
    }
    table.InitializeParallelScan(context, parallel_, indexes);
  }

  uint64_t Run() {
    team_.Run(table_.MaxThreads(context_), [this] { ReadBatches(); });
    return rows_;
  }

 private:
  void ReadBatches() {
    duckdb::TableScanState state;
    state.Initialize(storage_ids_, &context_, nullptr);
    duckdb::DataChunk chunk;
    chunk.Initialize(duckdb::Allocator::Get(context_), types_);
    std::vector<VectorConverter> converters = encoder_.MakeConverters();
    while (!team_.HasFailed() && table_.NextParallelScan(context_, parallel_, state) != 0) {
      ReadBatch(state, chunk, converters);
    }
  }

  void ReadBatch(duckdb::TableScanState& state, duckdb::DataChunk& chunk,
                 std::vector<VectorConverter>& converters) {
    // Rows of the transaction itself come after those of the table.
    auto batch = state.table_state.batch_index;
    if (!state.table_state.row_group) {
      batch += state.local_state.batch_index;
    }
    auto writer = encoder_.StartBatch(batch);
    uint64_t rows = 0;
    while (!team_.HasFailed()) {
      control_.ThrowIfInterrupted();
      chunk.Reset();
      table_.Scan(transaction_, chunk, state);
      if (chunk.size() == 0) {
        break;
      }
      encoder_.Append(writer, converters, chunk);
      rows += chunk.size();
    }
    if (team_.HasFailed()) {
      return;
    }
    writer.Close();
    rows_ += rows;
    if (control_.progress != nullptr && expected_rows_ > 0) {
      double share = static_cast<double>(rows_) / static_cast<double>(expected_rows_);
      *control_.progress = std::min(1.0, share) * ColumnEncoder::kShareOfReading;
    }
  }

  duckdb::ClientContext& context_;
  duckdb::DataTable& table_;
  duckdb::DuckTransaction& transaction_;
  ColumnEncoder& encoder_;
  const ReadControl& control_;
  const uint64_t expected_rows_;
  duckdb::vector<duckdb::StorageIndex> storage_ids_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::ParallelTableScanState parallel_;
  Team team_{context_};
  std::atomic<uint64_t> rows_{0};
};

}  // namespace

ReadColumns ReadTable(duckdb::ClientContext& context, duckdb::DataTable& table,
                      const std::vector<storage::ColumnSpecification>& columns,
                      memory::ExtentPool& pool, size_t segments_per_extent,
                      uint64_t dictionary_strings, const ReadControl& control) {
  ColumnEncoder encoder(columns, pool, table.GetTotalRows(), segments_per_extent,
                        dictionary_strings);
  const uint64_t rows = TableScan(context, table, columns, encoder, control).Run();
  return encoder.Finish(context, rows, control);
}

}  // namespace margay::integration
