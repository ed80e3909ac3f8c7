#include "execute/rows_run.hpp"

#include <algorithm>
#include <string_view>

#include "execute/pinned_block.hpp"
#include "execute/region_rows.hpp"
#include "execute/text_function.hpp"

namespace margay::execute {

RowsRun::RowsRun(const std::shared_ptr<const CompiledPart>& part, const RunOptions& options)
    : KernelRun(part, options), outputs_(part->Program().result.outputs) {
  buffers_.resize(outputs_.size());
}

void RowsRun::ReleaseSink() {
  counts_ = device::Buffer();
  buffers_.clear();
  reservation_ = memory::ScratchReservation();
}

size_t RowsRun::LargestBatch() const {
  return kSegmentsPerRowsBatch;
}

void RowsRun::BindSink(device::Kernel& kernel, uint32_t argument, const Batch& batch) {
  device::Device& device = GetPart().GetDevice();
  const size_t rows = size_t{batch.units} * Kernel().unit_rows;
  if (batch.units > reserved_units_) {
    size_t bytes = batch.units * sizeof(uint32_t);
    for (const compile::RowOutput& output : outputs_) {
      bytes += rows * (output.Bytes() + (output.can_be_null ? 1 : 0));
    }
    reservation_ = memory::ScratchReservation();
    reservation_ = GetPart().Pool().Reserve(bytes);
    reserved_units_ = batch.units;
  }
  Grow(counts_, device, batch.units * sizeof(uint32_t), device::Access::ReadWrite);
  kernel.Argument(argument++, counts_);
  for (size_t i = 0; i < outputs_.size(); i++) {
    Grow(buffers_[i].values, device, rows * outputs_[i].Bytes(), device::Access::ReadWrite);
    kernel.Argument(argument++, buffers_[i].values);
    if (!outputs_[i].can_be_null)
      continue;
    Grow(buffers_[i].nulls, device, rows, device::Access::ReadWrite);
    kernel.Argument(argument++, buffers_[i].nulls);
  }
}

void RowsRun::FindTexts(size_t output, const std::byte* values, const std::vector<uint32_t>& counts,
                        const Batch& batch, PendingText* pending) const {
  size_t row = 0;
  for (size_t unit = 0; unit < counts.size(); unit++) {
    const size_t segment = batch.segment_numbers[unit / Kernel().units_per_segment];
    for (const size_t end = row + counts[unit]; row < end; row++) {
      pending[row] = outputs_[output].has_text_row
                         ? PendingText(reinterpret_cast<const TextRow*>(values)[row])
                         : PendingText(reinterpret_cast<const TextPlace*>(values)[row], segment);
    }
  }
}

Regions RowsRun::ReadRegions(device::Queue& queue, const Batch& batch) {
  Regions regions{counts_, std::vector<uint32_t>(batch.units), Kernel().unit_rows};
  Timed([&] {
    queue.Read(counts_, 0, regions.counts.data(), regions.counts.size() * sizeof(uint32_t));
  });
  return regions;
}

void RowsRun::TakeBatch(device::Queue& queue, const Batch& batch) {
  const Regions regions = ReadRegions(queue, batch);
  ResultBatch result;
  result.rows = regions.Rows();
  if (result.rows == 0)
    return;

  memory::HostAllocator& allocator = *GetPart().Pool().Allocator();
  RegionRows rows(regions, GetPart().GetDevice(), GetPart().Pool());
  std::vector<size_t> values, nulls;  // where they begin
  for (size_t i = 0; i < outputs_.size(); i++) {
    values.push_back(rows.Add(buffers_[i].values, outputs_[i].Bytes()));
    nulls.push_back(outputs_[i].can_be_null ? rows.Add(buffers_[i].nulls, 1) : 0);
  }
  auto block = std::make_shared<PinnedBlock>(allocator, rows.Bytes());
  Timed([&] {
    // Lanes are for devices with memory of their own.
    if (Kernel().shape == compile::Shape::Lanes)
      rows.CopyFromDeviceMemory(queue, block->Address());
    else
      rows.CopyFromHostMemory(queue, block->Address());
  });
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  owners->push_back(block);
  for (size_t i = 0; i < outputs_.size(); i++) {
    ResultColumn column{outputs_[i].type, block->Address() + values[i], nullptr, outputs_[i].texts};
    if (outputs_[i].can_be_null)
      column.validity = reinterpret_cast<const uint8_t*>(block->Address() + nulls[i]);
    if (outputs_[i].text_column) {
      auto pending = std::make_shared<PinnedBlock>(allocator, result.rows * sizeof(PendingText));
      FindTexts(i, column.values, regions.counts, batch,
                reinterpret_cast<PendingText*>(pending->Address()));
      column.values = pending->Address();
      owners->push_back(std::move(pending));
    }
    result.columns.push_back(column);
  }
  result.owner = std::move(owners);
  TakeRows(std::move(result));
}

std::vector<size_t> RowsRun::Widths() const {
  std::vector<size_t> widths;
  for (const compile::RowOutput& output : outputs_)
    widths.push_back(output.text_column ? sizeof(PendingText) : output.Bytes());
  return widths;
}

std::shared_ptr<const void> RowsRun::FetchTexts(size_t output, std::span<const PendingText> pending,
                                                std::string_view* texts) {
  const size_t number = *outputs_[output].text_column, own = Kernel().columns.size();
  const compile::InputColumn& column =
      number < own ? Kernel().columns[number] : Kernel().joined_columns[number - own];
  const TextFetch fetch(GetPart(), *column.TextImage(), TextsOf(column));
  std::shared_ptr<const void> owner;
  Timed([&] { owner = fetch.Fetch(Queue(), pending, texts); });
  return owner;
}

void RowsRun::FetchTexts(ResultBatch& batch) {
  memory::HostAllocator& allocator = *GetPart().Pool().Allocator();
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  owners->push_back(batch.owner);
  for (size_t i = 0; i < batch.columns.size(); i++) {
    ResultColumn& column = batch.columns[i];
    if (!outputs_[i].text_column)
      continue;
    auto block = std::make_shared<PinnedBlock>(allocator, batch.rows * sizeof(std::string_view));
    const auto* pending = reinterpret_cast<const PendingText*>(column.values);
    owners->push_back(FetchTexts(i, {pending, batch.rows},
                                 reinterpret_cast<std::string_view*>(block->Address())));
    column.values = block->Address();
    owners->push_back(std::move(block));
    if (outputs_[i].function) {
      Timed([&] {
        owners->push_back(ComputeFunction(*outputs_[i].function, batch.rows, allocator, column));
      });
    }
  }
  batch.owner = std::move(owners);
}

void RowsRun::TakeRows(ResultBatch batch) {
  FetchTexts(batch);
  Give(std::move(batch));
}

}  // namespace margay::execute
