#include "execute/rows_run.hpp"

#include "execute/pinned_block.hpp"
#include "execute/text_function.hpp"

namespace margay::execute {

using compile::ArgumentKind;

RegionsRun::RegionsRun(RunContext& context, size_t number)
    : SinkRun(context, number), sink_(As<optimize::RowSink>()) {
  buffers_.resize(sink_.outputs.size());
}

void RegionsRun::Finish() {
  counts_ = device::Buffer();
  buffers_.clear();
  reservation_ = memory::ScratchReservation();
}

void RegionsRun::Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) {
  device::Device& device = context_.GetDevice();
  const std::vector<optimize::RowOutput>& outputs = sink_.outputs;
  const size_t rows = size_t{batch.units} * pipeline.Kernel().unit_rows;
  if (batch.units > reserved_units_) {
    size_t bytes = batch.units * sizeof(uint32_t);
    for (const optimize::RowOutput& output : outputs)
      bytes += rows * (output.Bytes() + (output.can_be_null ? 1 : 0));
    reservation_ = memory::ScratchReservation();
    reservation_ = context_.Pool().Reserve(bytes);
    reserved_units_ = batch.units;
  }
  Grow(counts_, device, batch.units * sizeof(uint32_t), device::Access::ReadWrite);
  binder.Bind({ArgumentKind::RowCounts}, counts_);
  for (size_t i = 0; i < outputs.size(); i++) {
    Grow(buffers_[i].values, device, rows * outputs[i].Bytes(), device::Access::ReadWrite);
    binder.Bind({ArgumentKind::Values, i}, buffers_[i].values);
    if (!outputs[i].can_be_null)
      continue;
    Grow(buffers_[i].nulls, device, rows, device::Access::ReadWrite);
    binder.Bind({ArgumentKind::Nulls, i}, buffers_[i].nulls);
  }
}

void RegionsRun::ReadBack(const Batch& batch) {
  unit_counts_.resize(batch.units);
  context_.Queue().ReadLater(counts_, 0, unit_counts_.data(), batch.units * sizeof(uint32_t));
}

void RowsRun::FindTexts(const PipelineRun& pipeline, size_t output, const std::byte* values,
                        const std::vector<uint32_t>& counts, const Batch& batch,
                        PendingText* pending) const {
  size_t row = 0;
  for (size_t unit = 0; unit < counts.size(); unit++) {
    const size_t segment = batch.segment_numbers[unit / pipeline.Kernel().units_per_segment];
    for (const size_t end = row + counts[unit]; row < end; row++) {
      pending[row] = sink_.outputs[output].has_text_row
                         ? PendingText(reinterpret_cast<const TextRow*>(values)[row])
                         : PendingText(reinterpret_cast<const TextPlace*>(values)[row], segment);
    }
  }
}

void RowsRun::TakeBatch(PipelineRun& pipeline, const Batch& batch) {
  const Regions regions = FilledRegions(pipeline);
  ResultBatch result;
  result.rows = regions.Rows();
  if (result.rows == 0)
    return;

  const std::vector<optimize::RowOutput>& outputs = sink_.outputs;
  memory::HostAllocator& allocator = *context_.Pool().Allocator();
  RegionRows rows(regions, context_.GetDevice(), context_.Pool());
  std::vector<size_t> values, nulls;  // where they begin
  for (size_t i = 0; i < outputs.size(); i++) {
    values.push_back(rows.Add(Outputs()[i].values, outputs[i].Bytes()));
    nulls.push_back(outputs[i].can_be_null ? rows.Add(Outputs()[i].nulls, 1) : 0);
  }
  auto block = std::make_shared<PinnedBlock>(allocator, rows.Bytes());
  context_.Timed([&] {
    // Lanes are for devices with memory of their own.
    if (pipeline.Lowered().shape == optimize::Shape::Lanes)
      rows.CopyFromDeviceMemory(context_.Queue(), block->Address());
    else
      rows.CopyFromHostMemory(context_.Queue(), block->Address());
  });
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  owners->push_back(block);
  for (size_t i = 0; i < outputs.size(); i++) {
    ResultColumn column{outputs[i].type, block->Address() + values[i], nullptr, outputs[i].texts};
    if (outputs[i].can_be_null)
      column.validity = reinterpret_cast<const uint8_t*>(block->Address() + nulls[i]);
    if (outputs[i].text_column) {
      auto pending = std::make_shared<PinnedBlock>(allocator, result.rows * sizeof(PendingText));
      FindTexts(pipeline, i, column.values, regions.counts, batch,
                reinterpret_cast<PendingText*>(pending->Address()));
      column.values = pending->Address();
      owners->push_back(std::move(pending));
    }
    result.columns.push_back(column);
  }
  result.owner = std::move(owners);
  TakeRows(pipeline, std::move(result));
}

std::vector<size_t> RowsRun::Widths() const {
  std::vector<size_t> widths;
  for (const optimize::RowOutput& output : sink_.outputs)
    widths.push_back(output.text_column ? sizeof(PendingText) : output.Bytes());
  return widths;
}

std::shared_ptr<const void> RowsRun::FetchTexts(const PipelineRun& pipeline, size_t output,
                                                std::span<const PendingText> pending,
                                                std::string_view* texts) {
  const optimize::LoweredPipeline& lowered = pipeline.Lowered();
  // Pipelines that feed one sink have text columns at places of their own.
  const optimize::RowOutput& of_pipeline =
      std::get<optimize::RowSink>(lowered.sink).outputs[output];
  const size_t number = *of_pipeline.text_column, own = lowered.columns.size();
  const optimize::InputColumn& column =
      number < own ? lowered.columns[number] : lowered.joined_columns[number - own];
  const TextFetch fetch(context_.Part(), *column.TextImage(), pipeline.TextsOf(column));
  std::shared_ptr<const void> owner;
  context_.Timed([&] { owner = fetch.Fetch(context_.Queue(), pending, texts); });
  return owner;
}

void RowsRun::FetchTexts(const PipelineRun& pipeline, ResultBatch& batch) {
  memory::HostAllocator& allocator = *context_.Pool().Allocator();
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  owners->push_back(batch.owner);
  for (size_t i = 0; i < batch.columns.size(); i++) {
    ResultColumn& column = batch.columns[i];
    const optimize::RowOutput& output = sink_.outputs[i];
    if (!output.text_column)
      continue;
    auto block = std::make_shared<PinnedBlock>(allocator, batch.rows * sizeof(std::string_view));
    const auto* pending = reinterpret_cast<const PendingText*>(column.values);
    owners->push_back(FetchTexts(pipeline, i, {pending, batch.rows},
                                 reinterpret_cast<std::string_view*>(block->Address())));
    column.values = block->Address();
    owners->push_back(std::move(block));
    if (output.function) {
      context_.Timed([&] {
        owners->push_back(ComputeFunction(*output.function, batch.rows, allocator, column));
      });
    }
  }
  batch.owner = std::move(owners);
}

void RowsRun::TakeRows(PipelineRun& pipeline, ResultBatch batch) {
  FetchTexts(pipeline, batch);
  context_.Give(std::move(batch));
}

}  // namespace margay::execute
