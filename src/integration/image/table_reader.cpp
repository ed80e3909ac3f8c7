#include "integration/image/table_reader.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "duckdb/common/enums/scan_options.hpp"
#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/storage/data_table.hpp"
#include "duckdb/storage/table/scan_state.hpp"
#include "duckdb/transaction/duck_transaction.hpp"
#include "integration/image/team.hpp"
#include "integration/version/row_groups.hpp"

namespace margay::integration {
namespace {

//! Rows [begin, end) of those that a transaction sees of a table, its own not counted.
struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

//! One parallel scan of some columns into a builder.
class TableScan {
 public:
  //! Of all rows, or of `range`.
  TableScan(duckdb::ClientContext& context, duckdb::DataTable& table,
            const std::vector<storage::ColumnSpecification>& columns, ColumnEncoder& encoder,
            const ReadControl& control, std::optional<RowRange> range = {})
      : context_(context),
        table_(table),
        transaction_(duckdb::DuckTransaction::Get(context, table.GetAttached())),
        encoder_(encoder),
        control_(control),
        range_(range),
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
    uint64_t first_row = 0;
    while (!team_.HasFailed() && NextBatch(state, first_row)) {
      ReadBatch(state, chunk, converters, first_row);
    }
  }

  //! Finds the next rows to read; of a range, `first_row` is the number of the first of them.
  bool NextBatch(duckdb::TableScanState& state, uint64_t& first_row) {
    if (!range_) {
      return table_.NextParallelScan(context_, parallel_, state) != 0;
    }
    std::lock_guard<std::mutex> guard(next_mutex_);
    while (next_row_ < range_->end) {
      LeaveRowGroup(state);
      if (table_.NextParallelScan(context_, parallel_, state) == 0 || !IsInRowGroup(state)) {
        return false;
      }
      const uint64_t before = range_->begin - std::min(range_->begin, next_row_);
      first_row = next_row_ + SkipVisibleRows(state, transaction_, before);
      next_row_ = first_row + VisibleRows(state, transaction_);
      if (next_row_ > range_->begin) {
        return true;
      }
    }
    return false;
  }

  //! Leaves the rows of `chunk`, the first of which is `first_row`, that are in the range.
  void CutToRange(duckdb::DataChunk& chunk, uint64_t first_row) const {
    const auto rows = chunk.size();
    const auto begin = std::min<uint64_t>(rows, std::max(range_->begin, first_row) - first_row);
    const auto end = std::min<uint64_t>(rows, std::max(range_->end, first_row) - first_row);
    if (begin == 0) {
      chunk.SetCardinality(end);
      return;
    }
    duckdb::SelectionVector selection(begin, end - begin);
    chunk.Slice(selection, end - begin);
  }

  void ReadBatch(duckdb::TableScanState& state, duckdb::DataChunk& chunk,
                 std::vector<VectorConverter>& converters, uint64_t first_row) {
    auto writer = encoder_.StartBatch(BatchNumber(state));
    uint64_t rows = 0;
    while (!team_.HasFailed()) {
      control_.ThrowIfInterrupted();
      chunk.Reset();
      table_.Scan(transaction_, chunk, state);
      if (chunk.size() == 0 || (range_ && first_row >= range_->end)) {
        break;
      }
      if (range_) {
        const auto read = chunk.size();
        CutToRange(chunk, first_row);
        first_row += read;
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
  const std::optional<RowRange> range_;
  const uint64_t expected_rows_;
  duckdb::vector<duckdb::StorageIndex> storage_ids_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::ParallelTableScanState parallel_;
  Team team_{context_};
  std::atomic<uint64_t> rows_{0};
  //! Of a range: guards the order in which batches are taken, and the rows before the next one.
  std::mutex next_mutex_;
  uint64_t next_row_ = 0;
};

}  // namespace

ReadColumns ReadTable(duckdb::ClientContext& context, duckdb::DataTable& table,
                      const std::vector<storage::ColumnSpecification>& columns,
                      memory::ExtentPool& pool, storage::BuildOptions options,
                      const ReadControl& control) {
  options.expected_rows = table.GetTotalRows();
  ColumnEncoder encoder(columns, pool, options);
  const uint64_t rows = TableScan(context, table, columns, encoder, control).Run();
  return encoder.Finish(context, rows, control);
}

std::vector<storage::PinnedExtents> ReadTableExtent(
    duckdb::ClientContext& context, duckdb::DataTable& table,
    const std::vector<storage::ColumnSpecification>& columns,
    const std::vector<std::shared_ptr<const storage::ColumnImage>>& restored, size_t extent,
    memory::ExtentPool& pool, const ReadControl& control) {
  ColumnEncoder encoder(columns, pool, restored);
  const uint64_t rows = restored.at(0)->RowsPerExtent();
  TableScan(context, table, columns, encoder, control, RowRange{extent * rows, (extent + 1) * rows})
      .Run();
  return encoder.Restore(context, extent, control);
}

}  // namespace margay::integration
