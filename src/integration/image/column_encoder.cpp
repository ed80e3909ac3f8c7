#include "integration/image/column_encoder.hpp"

#include <stdexcept>
#include <string>

#include "duckdb/common/types/data_chunk.hpp"
#include "integration/image/team.hpp"

namespace margay::integration {
namespace {

storage::BuildOptions WithExtents(storage::BuildOptions options, memory::ExtentPool& pool) {
  if (options.segments_per_extent == 0) {
    options.segments_per_extent = storage::SegmentsPerExtent(pool.Device()->Info().largest_buffer);
  }
  return options;
}

}  // namespace

std::shared_ptr<storage::TableImage> ReadColumns::MakeImage(
    const std::vector<plan::ScanColumn>& scanned) const {
  auto image = std::make_shared<storage::TableImage>(rows, segments_per_extent);
  for (size_t i = 0; i < columns.size(); i++) {
    image->AddColumn(scanned[i].id, columns[i]);
  }
  return image;
}

std::vector<storage::ColumnSpecification> Specify(const std::vector<plan::ScanColumn>& columns) {
  std::vector<storage::ColumnSpecification> specifications;
  specifications.reserve(columns.size());
  for (const auto& column : columns) {
    specifications.push_back({column.id, column.name, column.type});
  }
  return specifications;
}

ColumnEncoder::ColumnEncoder(std::vector<storage::ColumnSpecification> columns,
                             memory::ExtentPool& pool, storage::BuildOptions options)
    : columns_(std::move(columns)),
      pool_(pool),
      segments_per_extent_(WithExtents(options, pool).segments_per_extent),
      builder_(columns_, pool.Allocator(), WithExtents(options, pool)) {}

ColumnEncoder::ColumnEncoder(
    std::vector<storage::ColumnSpecification> columns, memory::ExtentPool& pool,
    const std::vector<std::shared_ptr<const storage::ColumnImage>>& restored)
    : columns_(std::move(columns)),
      pool_(pool),
      segments_per_extent_(restored.at(0)->SegmentsPerExtent()),
      builder_(columns_, restored, pool.Allocator()) {}

std::vector<VectorConverter> ColumnEncoder::MakeConverters() const {
  std::vector<VectorConverter> converters;
  converters.reserve(columns_.size());
  for (const auto& column : columns_) {
    converters.emplace_back(column.type.IsVarchar());
  }
  return converters;
}

void ColumnEncoder::Append(storage::BatchWriter& writer, std::vector<VectorConverter>& converters,
                           duckdb::DataChunk& chunk) {
  for (size_t i = 0; i < columns_.size(); i++) {
    try {
      writer.Append(i, converters[i].Convert(chunk.data[i], chunk.size()));
    } catch (const storage::RefusedColumn& refusal) {
      throw ColumnRefusal(columns_[i].id, refusal);
    }
  }
}

ReadColumns ColumnEncoder::Finish(duckdb::ClientContext& context, uint64_t rows,
                                  const ReadControl& control) {
  ReadColumns result;
  result.rows = rows;
  result.segments_per_extent = segments_per_extent_;
  for (size_t i = 0; i < columns_.size(); i++) {
    if (builder_.Column(i).Rows() != rows) {
      throw std::logic_error("the scan of " + columns_[i].name +
                             " lost rows: " + std::to_string(builder_.Column(i).Rows()) + " of " +
                             std::to_string(rows));
    }
    try {
      result.columns.push_back(builder_.FinishColumn(i, pool_, TeamFor(context, control)));
    } catch (const storage::RefusedColumn& refusal) {
      throw ColumnRefusal(columns_[i].id, refusal);
    }
    if (control.progress != nullptr) {
      *control.progress = kShareOfReading + (1 - kShareOfReading) * static_cast<double>(i + 1) /
                                                static_cast<double>(columns_.size());
    }
  }
  return result;
}

std::vector<storage::PinnedExtents> ColumnEncoder::Restore(duckdb::ClientContext& context,
                                                           size_t extent,
                                                           const ReadControl& control) {
  std::vector<storage::PinnedExtents> pins;
  for (size_t i = 0; i < columns_.size(); i++) {
    pins.push_back(builder_.RestoreColumn(i, extent, pool_, TeamFor(context, control)));
  }
  return pins;
}

}  // namespace margay::integration
