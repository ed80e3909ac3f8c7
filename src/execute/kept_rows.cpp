#include "execute/kept_rows.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "compile/join_table.hpp"
#include "kernels/embedded_sources.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::execute {

namespace {

//! Room for rows, to begin with.
constexpr uint64_t kFewestRows = 4096;

}  // namespace

void KeptRows::Grow(device::Queue& queue, uint64_t rows) {
  if (table_ && rows_ + rows <= capacity_)
    return;
  const uint64_t needed = rows_ + rows;
  if (needed > compile::kMostEntries)
    throw memory::OutOfMemory("a table of rows", needed, compile::kMostEntries, rows_);
  capacity_ = std::min(std::max({needed, 2 * capacity_, kFewestRows}), compile::kMostEntries);
  auto larger = std::make_shared<KeptTable>(columns_, capacity_, queue, pool_);
  for (size_t i = 0; i < columns_.size() && rows_ != 0; i++) {
    queue.Copy(table_->At(i).values, 0, larger->At(i).values, 0, rows_ * columns_[i].form->Width());
    if (columns_[i].form->HasValidity())
      queue.Copy(table_->At(i).validity, 0, larger->At(i).validity, 0, (rows_ + 7) / 8);
  }
  table_ = std::move(larger);
}

void KeptRows::Append(device::Queue& queue, const Regions& regions,
                      const std::vector<Column>& columns, uint32_t work_group) {
  const uint64_t rows = regions.Rows();
  if (rows == 0)
    return;
  Grow(queue, rows);
  const size_t units = regions.counts.size();
  std::vector<uint64_t> firsts(units);
  std::exclusive_scan(regions.counts.begin(), regions.counts.end(), firsts.begin(), rows_);
  const device::Buffer first_buffer =
      device_.CreateBuffer(units * sizeof(uint64_t), device::Access::ReadOnly);
  queue.Write(first_buffer, 0, firsts.data(), units * sizeof(uint64_t));
  const auto launch = [&](device::Kernel& kernel) {
    queue.Launch(kernel, units * work_group, work_group);
  };
  const auto program = [&](const char* source) {
    return device_.Programs().Get(std::string(kernels::EmbeddedSource(source)));
  };
  for (size_t i = 0; i < columns_.size(); i++) {
    device::Kernel values = program("row_gather.cl")->CreateKernel("row_gather");
    values.Argument(0, columns[i].values)
        .Argument(1, regions.unit_rows)
        .Argument(2, static_cast<uint32_t>(columns_[i].form->Width()))
        .Argument(3, regions.count_buffer)
        .Argument(4, first_buffer)
        .Argument(5, table_->At(i).values)
        .Argument(6, uint64_t{0});
    launch(values);
    if (!columns_[i].form->HasValidity())
      continue;
    device::Kernel validity = program("validity_gather.cl")->CreateKernel("validity_gather");
    validity.Argument(0, columns[i].nulls)
        .Argument(1, regions.unit_rows)
        .Argument(2, regions.count_buffer)
        .Argument(3, first_buffer)
        .Argument(4, table_->At(i).validity);
    launch(validity);
  }
  rows_ += rows;
}

std::shared_ptr<const KeptTable> KeptRows::Table(device::Queue& queue) {
  if (!table_)
    table_ = std::make_shared<KeptTable>(columns_, 0, queue, pool_);
  table_->Truncate(rows_);
  return table_;
}

}  // namespace margay::execute
