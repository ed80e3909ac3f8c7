#include "integration/image/tapped_rows.hpp"

#include <atomic>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/common/types/data_chunk.hpp"
#include "integration/image/column_encoder.hpp"
#include "integration/image/team.hpp"
#include "integration/instance.hpp"

namespace margay::integration {
namespace {

//! Reads the columns of `scan`, at least one, into `encoder`.
void ReadRows(duckdb::ClientContext& context, const duckdb::ColumnDataCollection& rows,
              const plan::Node& scan, ColumnEncoder& encoder, const ReadControl& control) {
  duckdb::vector<duckdb::column_t> columns;
  for (const auto& column : scan.Columns()) {
    columns.push_back(column.id);
  }
  duckdb::ColumnDataParallelScanState parallel;
  rows.InitializeScan(parallel, std::move(columns));
  std::atomic<uint64_t> rows_read{0};
  Team team(context);
  team.Run(rows.ChunkCount(), [&] {
    duckdb::ColumnDataLocalScanState local;
    duckdb::DataChunk chunk;
    rows.InitializeScanChunk(parallel.scan_state, chunk);
    auto converters = encoder.MakeConverters();
    while (!team.HasFailed() && rows.Scan(parallel, local, chunk)) {
      control.ThrowIfInterrupted();
      auto writer = encoder.StartBatch(local.current_row_index);
      encoder.Append(writer, converters, chunk);
      writer.Close();
      rows_read += chunk.size();
      if (control.progress != nullptr) {
        *control.progress = static_cast<double>(rows_read) / static_cast<double>(rows.Count()) *
                            ColumnEncoder::kShareOfReading;
      }
    }
  });
}

}  // namespace

std::shared_ptr<TableCopy> EncodeRows(duckdb::ClientContext& context,
                                      const duckdb::ColumnDataCollection& rows,
                                      const plan::Node& scan,
                                      const std::shared_ptr<const OpenDevice>& place,
                                      uint64_t dictionary_strings, const ReadControl& control) {
  storage::BuildOptions options;
  options.expected_rows = rows.Count();
  options.small_dictionary = dictionary_strings;
  ColumnEncoder encoder(Specify(scan.Columns()), *place->pool, options);
  if (!scan.Columns().empty() && rows.Count() > 0) {
    ReadRows(context, rows, scan, encoder, control);
  }
  const ReadColumns read = encoder.Finish(context, rows.Count(), control);
  auto& counters = Instance::Get(context)->counters;
  counters.private_images_built++;
  counters.columns_built += read.columns.size();
  for (const auto& column : read.columns) {
    counters.bytes_built += column->Bytes();
  }
  return std::make_shared<TableCopy>(place, read.MakeImage(scan.Columns()));
}

}  // namespace margay::integration
