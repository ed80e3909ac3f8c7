#include "execute/materialised_table_builder.hpp"

#include <algorithm>

#include "memory/out_of_memory.hpp"
#include "optimize/physical/join_table.hpp"

namespace margay::execute {

namespace {

//! Room for rows, to begin with.
constexpr uint64_t kFewestRows = 4096;

}  // namespace

void MaterialisedTableBuilder::Grow(device::Queue& queue, uint64_t rows) {
  if (table_ && rows_ + rows <= capacity_)
    return;
  const uint64_t needed = rows_ + rows;
  if (needed > optimize::kMostEntries)
    throw memory::OutOfMemory("a table of rows", needed, optimize::kMostEntries, rows_);
  capacity_ = std::min(std::max({needed, 2 * capacity_, kFewestRows}), optimize::kMostEntries);
  auto larger = std::make_shared<MaterialisedTable>(columns_, capacity_, queue, pool_);
  for (size_t i = 0; i < columns_.size() && rows_ != 0; i++) {
    queue.Copy(table_->At(i).values, 0, larger->At(i).values, 0, rows_ * columns_[i].form->Width());
    if (columns_[i].form->HasValidity())
      queue.Copy(table_->At(i).validity, 0, larger->At(i).validity, 0, (rows_ + 7) / 8);
  }
  table_ = std::move(larger);
}

void MaterialisedTableBuilder::Append(device::Queue& queue, const Regions& regions,
                                      const std::vector<Column>& columns, uint32_t work_group) {
  const uint64_t rows = regions.Rows();
  if (rows == 0)
    return;
  Grow(queue, rows);
  const RegionGather gather(regions, rows_, work_group, pool_, queue);
  std::vector<RegionGather::Column> values;
  for (size_t i = 0; i < columns_.size(); i++)
    values.push_back({columns[i].values, columns_[i].form->Width(), table_->At(i).values, 0});
  gather.CopyValues(values);
  for (size_t i = 0; i < columns_.size(); i++) {
    if (columns_[i].form->HasValidity())
      gather.CopyValidity(columns[i].nulls, table_->At(i).validity);
  }
  rows_ += rows;
}

std::shared_ptr<const MaterialisedTable> MaterialisedTableBuilder::Table(device::Queue& queue) {
  if (!table_)
    table_ = std::make_shared<MaterialisedTable>(columns_, 0, queue, pool_);
  table_->Truncate(rows_);
  return table_;
}

}  // namespace margay::execute
