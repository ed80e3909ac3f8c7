#include "execute/rows_run.hpp"

#include <algorithm>
#include <cstring>

#include "execute/pinned_block.hpp"
#include "execute/text_fetch.hpp"

namespace margay::execute {

namespace {

//! Copies the first counts[u] rows of every unit's region of a mapped buffer to `destination`.
void CopyRegions(device::Queue& queue, const device::Buffer& buffer,
                 const std::vector<uint32_t>& counts, size_t unit_rows, size_t row_bytes,
                 std::byte* destination) {
  const size_t bytes = counts.size() * unit_rows * row_bytes;
  auto* mapped = static_cast<std::byte*>(queue.Map(buffer, 0, bytes, false));
  for (size_t unit = 0; unit < counts.size(); unit++) {
    const size_t filled = counts[unit] * row_bytes;
    std::memcpy(destination, mapped + unit * unit_rows * row_bytes, filled);
    destination += filled;
  }
  queue.Unmap(buffer, mapped);
}

size_t Aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace

RowsRun::RowsRun(const std::shared_ptr<const CompiledPart>& part, const RunOptions& options)
    : KernelRun(part, options), outputs_(part->Program().result.outputs) {
  buffers_.resize(outputs_.size());
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
  Grow(counts_, device, batch.units * sizeof(uint32_t), device::Access::WriteOnly);
  kernel.Argument(argument++, counts_);
  for (size_t i = 0; i < outputs_.size(); i++) {
    Grow(buffers_[i].values, device, rows * outputs_[i].Bytes(), device::Access::WriteOnly);
    kernel.Argument(argument++, buffers_[i].values);
    if (!outputs_[i].can_be_null)
      continue;
    Grow(buffers_[i].nulls, device, rows, device::Access::WriteOnly);
    kernel.Argument(argument++, buffers_[i].nulls);
  }
}

std::shared_ptr<const void> RowsRun::FetchTexts(device::Queue& queue, size_t output,
                                                const std::vector<uint32_t>& counts,
                                                const std::vector<size_t>& segments,
                                                std::string_view* texts) const {
  const auto copy = [&](auto& values) {
    values.resize(segments.size());
    CopyRegions(queue, buffers_[output].values, counts, Kernel().unit_rows, sizeof(values[0]),
                reinterpret_cast<std::byte*>(values.data()));
  };
  const size_t number = *outputs_[output].text_column, own = Kernel().columns.size();
  const bool is_own = number < own;
  const compile::InputColumn& column =
      is_own ? Kernel().columns[number] : Kernel().joined_columns[number - own];
  const auto& pins = is_own ? Pins() : JoinedPins();
  const TextFetch fetch(GetPart(), *column.TextImage(),
                        (*pins)[is_own ? number : number - own].texts, pins);
  if (outputs_[output].has_text_row) {
    std::vector<TextRow> rows;
    copy(rows);
    return fetch.Fetch(queue, rows, texts);
  }
  std::vector<TextPlace> places;
  copy(places);
  return fetch.Fetch(queue, segments, places, texts);
}

void RowsRun::TakeBatch(device::Queue& queue, const Batch& batch) {
  std::vector<uint32_t> counts(batch.units);
  Timed([&] { queue.Read(counts_, 0, counts.data(), counts.size() * sizeof(uint32_t)); });
  size_t rows = 0;
  for (uint32_t count : counts)
    rows += count;
  if (rows == 0)
    return;

  size_t bytes = 0;
  for (const compile::RowOutput& output : outputs_) {
    bytes += Aligned(rows * (output.text_column ? sizeof(std::string_view) : output.Bytes()));
    if (output.can_be_null)
      bytes += Aligned(rows);
  }
  auto block = std::make_shared<PinnedBlock>(*GetPart().Pool().Allocator(), bytes);
  std::byte* next = block->Address();
  ResultBatch result;
  result.rows = rows;
  const size_t unit_rows = Kernel().unit_rows;
  std::vector<std::shared_ptr<const void>> owners{block};
  std::vector<size_t> segments;  // of the rows
  segments.reserve(rows);
  for (size_t unit = 0; unit < counts.size(); unit++) {
    segments.insert(segments.end(), counts[unit],
                    batch.segment_numbers[unit / Kernel().units_per_segment]);
  }
  Timed([&] {
    for (size_t i = 0; i < outputs_.size(); i++) {
      ResultColumn column{outputs_[i].type, next, nullptr, outputs_[i].texts};
      if (outputs_[i].text_column) {
        owners.push_back(
            FetchTexts(queue, i, counts, segments, reinterpret_cast<std::string_view*>(next)));
        next += Aligned(rows * sizeof(std::string_view));
      } else {
        const size_t row_bytes = outputs_[i].Bytes();
        CopyRegions(queue, buffers_[i].values, counts, unit_rows, row_bytes, next);
        next += Aligned(rows * row_bytes);
      }
      if (outputs_[i].can_be_null) {
        CopyRegions(queue, buffers_[i].nulls, counts, unit_rows, 1, next);
        column.validity = reinterpret_cast<const uint8_t*>(next);
        next += Aligned(rows);
      }
      result.columns.push_back(column);
    }
  });
  result.owner = std::make_shared<const std::vector<std::shared_ptr<const void>>>(owners);
  TakeRows(std::move(result));
}

}  // namespace margay::execute
