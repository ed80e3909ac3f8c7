#include "storage/batch_writer.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "storage/column_stager.hpp"
#include "storage/refused_column.hpp"
#include "storage/table_image_builder.hpp"

namespace margay::storage {

BatchWriter::BatchWriter(TableImageBuilder& builder, uint64_t batch_index)
    : builder_(&builder), batch_index_(batch_index) {
  stagers_.reserve(builder.ColumnCount());
  for (size_t i = 0; i < builder.ColumnCount(); i++) {
    stagers_.push_back(builder.Column(i).Lease());
  }
}

BatchWriter::~BatchWriter() {
  for (size_t i = 0; i < stagers_.size(); i++) {
    builder_->Column(i).Return(std::move(stagers_[i]), batch_index_, true);
  }
}

BatchWriter::BatchWriter(BatchWriter&& other) noexcept
    : builder_(other.builder_),
      batch_index_(other.batch_index_),
      stagers_(std::exchange(other.stagers_, {})) {}

void BatchWriter::Append(size_t column, const ColumnChunk& chunk) {
  ColumnBuilder& builder = builder_->Column(column);
  builder.ThrowIfRefused();
  try {
    stagers_[column]->Append(chunk);
  } catch (const RefusedColumn& refusal) {
    builder.Refuse(refusal.what());
    throw;
  }
}

void BatchWriter::Close() {
  std::optional<uint64_t> rows;
  for (size_t i = 0; i < stagers_.size(); i++) {
    if (builder_->Column(i).IsRefused()) {
      continue;
    }
    const uint64_t column_rows = stagers_[i]->Rows();
    if (rows.has_value() && *rows != column_rows) {
      throw std::logic_error("BatchWriter::Close: columns of " + std::to_string(*rows) + " and " +
                             std::to_string(column_rows) + " rows in one batch");
    }
    rows = column_rows;
  }
  std::vector<std::unique_ptr<ColumnStager>> stagers = std::exchange(stagers_, {});
  for (size_t i = 0; i < stagers.size(); i++) {
    ColumnBuilder& builder = builder_->Column(i);
    builder.Return(std::move(stagers[i]), batch_index_, builder.IsRefused());
  }
}

}  // namespace margay::storage
