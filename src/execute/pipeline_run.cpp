#include "execute/pipeline_run.hpp"

#include <algorithm>

#include "compile/kernel_context.hpp"
#include "execute/sink_run.hpp"
#include "storage/constants.hpp"

namespace margay::execute {

using compile::ArgumentKind;
using optimize::InputColumn;

namespace {

//! Interrupts, eviction and other queries get their turn between batches.
constexpr double kBatchMilliseconds = 40;

//! First batch of a CPU device, per compute unit: 4 M rows take a few milliseconds, and a kernel
//! that is a hundred times slower than usual still lets go within half a second.
constexpr size_t kFirstSegmentsPerComputeUnit = 64;

//! A GPU runs a whole extent (64 M rows) in well under the time of a batch.
constexpr size_t kFirstSegmentsOfGpu = 1024;

//! Where rows can have any number of matches, nothing is known about the time they take.
constexpr size_t kFirstSegmentsOfChains = 2;

//! Work-groups per compute unit. CPU: some more than one, so that a core that is disturbed does not
//! hold up the others. GPU: as many as can be resident, so that loads in flight fill the memory
//! bus.
constexpr uint32_t kGroupsPerCore = 4;
constexpr uint32_t kGroupsPerMultiprocessor = 16;

//! Whether launches get the extents of a column of the scanned table one after the other.
bool IsScanned(const InputColumn& column) {
  return column.image && !column.is_whole;
}

}  // namespace

PipelineRun::PipelineRun(RunContext& context, size_t pipeline)
    : context_(context),
      number_(pipeline),
      lowered_(*context.Program().pipelines[pipeline].lowered),
      kernel_(context.KernelOf(pipeline)),
      name_(context.Part().NameOf(pipeline)),
      string_columns_(compile::StringColumns(lowered_.values->graph)) {}

std::vector<storage::PinnedExtents> PipelineRun::PinWhole(
    const std::vector<InputColumn>& columns) const {
  std::vector<storage::PinnedExtents> pins;
  for (const InputColumn& column : columns) {
    if (column.RefersToText())
      pins.push_back(context_.Pins().PinWhole(*column.TextImage()));
    else if (column.image)
      pins.push_back(context_.Pins().PinWhole(*column.image));
    else
      pins.emplace_back();
  }
  return pins;
}

void PipelineRun::PinJoined() {
  if (pins_.size() == lowered_.columns.size() &&
      joined_pins_.size() == lowered_.joined_columns.size())
    return;
  joined_pins_ = PinWhole(lowered_.joined_columns);
  pins_.resize(lowered_.columns.size());
  for (size_t i = 0; i < pins_.size(); i++) {
    if (!IsScanned(lowered_.columns[i]))
      pins_[i] = std::move(PinWhole({lowered_.columns[i]})[0]);
  }
}

void PipelineRun::PinScanned(size_t extent) {
  if (scanned_extent_ == extent)
    return;
  scanned_extent_.reset();
  std::vector<const storage::ColumnImage*> images;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < pins_.size(); i++) {
    const InputColumn& column = lowered_.columns[i];
    if (!IsScanned(column))
      continue;
    pins_[i] = {};
    images.push_back(column.image.get());
    numbers.push_back(i);
  }
  std::vector<storage::PinnedExtents> pins = context_.Pins().Pin(images, extent);
  for (size_t i = 0; i < numbers.size(); i++)
    pins_[numbers[i]] = std::move(pins[i]);
  scanned_extent_ = extent;
}

void PipelineRun::Unpin() {
  scanned_extent_.reset();
  pins_.clear();
  joined_pins_.clear();
  strings_.clear();
}

std::vector<memory::ExtentPin> PipelineRun::PinStrings(const std::vector<size_t>& columns) const {
  std::vector<memory::ExtentPin> pins;
  pins.reserve(columns.size());
  for (size_t number : columns) {
    const InputColumn& column = context_.Program().columns[number];
    pins.push_back(column.image->Strings().Pin(*column.form->GetDictionary(), context_.Pool()));
  }
  return pins;
}

TextFetch::PinText PipelineRun::TextsOf(const InputColumn& column) const {
  return [this, image = column.TextImage()](size_t extent) {
    return context_.Pins().PinText(*image, extent);
  };
}

size_t PipelineRun::SegmentsInTexts(const size_t* segments, size_t count) const {
  for (const InputColumn& column : lowered_.text_columns) {
    const auto is_elsewhere = [&](size_t segment) {
      return column.image->TextExtentOf(segment) != column.image->TextExtentOf(segments[0]);
    };
    count = static_cast<size_t>(std::find_if(segments, segments + count, is_elsewhere) - segments);
  }
  return count;
}

uint32_t PipelineRun::WorkGroups(uint32_t units, uint32_t most) const {
  const device::DeviceInfo& info = context_.GetDevice().Info();
  uint32_t groups = context_.ComputeUnits();
  if (groups == info.compute_units)
    groups *= info.kind == device::DeviceKind::Gpu ? kGroupsPerMultiprocessor : kGroupsPerCore;
  const uint32_t enough = (units - 1) / kernel_.units_per_work_group + 1;
  return std::max(std::min({groups, units, most}), enough);
}

bool PipelineRun::MayJoin(size_t segment) const {
  return std::all_of(lowered_.ranged_joins.begin(), lowered_.ranged_joins.end(),
                     [&](const optimize::LoweredPipeline::RangedJoin& join) {
                       const KeyRange& keys = context_.KeyRangeOf(join.build);
                       const auto& statistics = join.column.form->Segments()[segment];
                       return statistics.HasValues() && statistics.min <= keys.greatest &&
                              statistics.max >= keys.least;
                     });
}

void PipelineRun::CountWork(const WorkList& work, const Batch& batch) {
  RunStatistics& statistics = context_.Statistics();
  statistics.segments_skipped -= batch.segments;
  for (size_t i = 0; i < batch.segments; i++) {
    const size_t segment = batch.segment_numbers[i];
    const uint64_t rows = work.RowsOf(segment);
    statistics.rows_in += rows;
    for (const InputColumn& column : lowered_.columns) {
      statistics.bytes_touched += rows * column.form->Width();
      if (column.form->HasValidity())
        statistics.bytes_touched += (rows + 7) / 8;
      if (column.HoldsText())
        statistics.bytes_touched += column.image->Segments()[segment].text_bytes;
    }
  }
}

void PipelineRun::Run(SinkRun& sink) {
  device::Device& device = context_.GetDevice();
  RunStatistics& statistics = context_.Statistics();
  const auto start = std::chrono::steady_clock::now();
  const auto program = device.Programs().Get(kernel_.program);
  const device::ProgramStatistics program_statistics = program->Statistics();
  statistics.kernel_origin = program_statistics.uses > 1 ? "memory" : program_statistics.origin;
  statistics.compile_milliseconds +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  for (const optimize::LoweredPipeline::RangedJoin& join : lowered_.ranged_joins)
    context_.AwaitKeyRange(join.build);
  const storage::TableImage* image = context_.Part().ImageOf(lowered_.table);
  const uint64_t rows = context_.RowsOf(lowered_.table);
  WorkList work(rows,
                image != nullptr ? image->SegmentsPerExtent()
                                 : std::max<size_t>(storage::SegmentCount(rows), 1),
                [&](size_t segment) {
                  return lowered_.segment_filter->MayMatch(segment) && MayJoin(segment);
                });
  sink.Arrange(work);
  statistics.segments += work.Segments();
  statistics.segments_skipped += work.Segments();  // less those that batches read
  // At the least: a row looks up one row.
  for (const InputColumn& column : lowered_.joined_columns)
    statistics.bytes_touched +=
        std::min(rows, context_.RowsOf(column.table)) * column.form->Width();
  progress_ = 0;
  device::Kernel kernel = program->CreateKernel(compile::kPipelineKernel);
  const optimize::Parameters& parameters = lowered_.values->parameters;
  parameters_ = context_.Constant(parameters.Words());
  lookups_ = context_.Constant(parameters.Tables());
  context_.Timed([&] { strings_ = PinStrings(string_columns_); });
  Grow(faults_, device, sizeof(KernelReport), device::Access::ReadWrite);
  context_.Timed([&] { PinJoined(); });
  context_.Timed([&] {
    report_ = {};
    context_.Queue().Write(faults_, 0, &report_, sizeof(report_));
  });
  batch_segments_ = device.Info().kind == device::DeviceKind::Gpu
                        ? kFirstSegmentsOfGpu
                        : kFirstSegmentsPerComputeUnit * device.Info().compute_units;
  if (lowered_.HasChains())
    batch_segments_ = kFirstSegmentsOfChains;
  for (const ExtentWork& extent : work.Extents())
    RunExtent(kernel, sink, work, extent);
  progress_ = 1;
}

void PipelineRun::RunExtent(device::Kernel& kernel, SinkRun& sink, const WorkList& work,
                            const ExtentWork& extent) {
  for (size_t done = 0; done < extent.segments.size();) {
    Batch batch;
    batch.segment_numbers = extent.segments.data() + done;
    batch.segments = sink.UsefulSegments(
        batch.segment_numbers,
        SegmentsInTexts(batch.segment_numbers, std::min({batch_segments_, sink.LargestBatch(),
                                                         extent.segments.size() - done})));
    if (batch.segments == 0)
      return;
    context_.Timed([&] { PinScanned(extent.extent); });
    CountWork(work, batch);
    batch.units = static_cast<uint32_t>(batch.segments * kernel_.units_per_segment);
    batch.work_groups = WorkGroups(batch.units, sink.MostWorkGroups());
    batch.is_whole = batch.segments == work.LiveSegments();
    if (kernel_.is_resumable) {
      const size_t bytes =
          size_t{batch.units} * kernel_.work_group * kernel_.resume_words * sizeof(uint32_t);
      Grow(resume_, context_.GetDevice(), bytes, device::Access::ReadWrite);
      context_.Timed([&] { context_.Queue().Fill(resume_, 0, bytes, 0); });
    }
    ArgumentBinder binder(kernel, kernel_.arguments);
    BindSegments(binder, work.Descriptors(lowered_.columns, batch.segment_numbers, batch.segments),
                 batch.is_whole);
    binder.Bind({ArgumentKind::Parameters}, *parameters_);
    binder.Bind({ArgumentKind::Lookups}, *lookups_);
    binder.Bind({ArgumentKind::Units}, batch.units);
    binder.Bind({ArgumentKind::Faults}, faults_);
    BindColumns(binder, batch.segment_numbers[0]);
    bool is_done = false;
    while (!is_done) {
      context_.ThrowIfInterrupted();
      sink.Bind(binder, *this, batch);
      binder.RequireAll();
      is_done = RunBatch(kernel, sink, batch);
    }
    done += batch.segments;
    progress_ = progress_ + static_cast<double>(batch.segments) /
                                static_cast<double>(std::max<uint64_t>(work.LiveSegments(), 1));
  }
}

void PipelineRun::BindSegments(ArgumentBinder& binder, const std::vector<int64_t>& descriptors,
                               bool is_whole) {
  if (is_whole) {
    whole_segments_ = context_.Constant(descriptors);
    binder.Bind({ArgumentKind::Segments}, *whole_segments_);
    return;
  }
  const size_t bytes = descriptors.size() * sizeof(int64_t);
  Grow(segments_, context_.GetDevice(), bytes, device::Access::ReadOnly);
  context_.Timed([&] { context_.Queue().Write(segments_, 0, descriptors.data(), bytes); });
  binder.Bind({ArgumentKind::Segments}, segments_);
}

void PipelineRun::BindColumns(ArgumentBinder& binder, size_t segment) const {
  for (size_t i = 0; i < pins_.size(); i++) {
    const storage::PinnedExtents& pins = pins_[i];
    const InputColumn& column = lowered_.columns[i];
    const size_t local = Local(column);
    if (!IsScanned(column)) {
      BindGathered(binder, column, local, pins);
      continue;
    }
    binder.Bind({ArgumentKind::Column, local}, pins.data[0].Buffer());
    if (!pins.validity.empty())
      binder.Bind({ArgumentKind::Validity, local}, pins.validity[0].Buffer());
    if (!pins.texts.empty()) {
      const size_t first = column.image->FirstTextOf(*scanned_extent_);
      binder.Bind({ArgumentKind::Text, local},
                  pins.texts[column.image->TextExtentOf(segment) - first].Buffer());
    }
  }
  for (size_t i = 0; i < lowered_.joined_columns.size(); i++) {
    const InputColumn& column = lowered_.joined_columns[i];
    BindGathered(binder, column, Local(column), joined_pins_[i]);
  }
  for (size_t i = 0; i < strings_.size(); i++) {
    binder.Bind({ArgumentKind::Strings, lowered_.numbers.ColumnOf(string_columns_[i])},
                strings_[i].Buffer());
  }
  for (size_t i = 0; i < lowered_.joins.size(); i++) {
    optimize::JoinTable table = lowered_.joins[i].table;
    context_.Joins().Bind(lowered_.joins[i].build, table, i, lowered_.numbers, binder);
  }
  if (kernel_.is_resumable)
    binder.Bind({ArgumentKind::Resume}, resume_);
}

void PipelineRun::BindGathered(ArgumentBinder& binder, const InputColumn& column, size_t local,
                               const storage::PinnedExtents& pins) const {
  if (!column.image) {
    BindMaterialised(binder, column, local, pins);
    return;
  }
  if (pins.data.empty())
    binder.Bind({ArgumentKind::Column, local}, context_.NoRows());
  for (size_t extent = 0; extent < pins.data.size(); extent++) {
    binder.Bind({ArgumentKind::Column, local, extent}, pins.data[extent].Buffer());
    if (!pins.validity.empty())
      binder.Bind({ArgumentKind::Validity, local, extent}, pins.validity[extent].Buffer());
  }
  if (column.IsText())
    BindTexts(binder, local, pins);
}

void PipelineRun::BindTexts(ArgumentBinder& binder, size_t local,
                            const storage::PinnedExtents& pins) const {
  if (pins.texts.empty())
    binder.Bind({ArgumentKind::Text, local}, context_.NoRows());
  for (size_t extent = 0; extent < pins.texts.size(); extent++)
    binder.Bind({ArgumentKind::Text, local, extent}, pins.texts[extent].Buffer());
}

void PipelineRun::BindMaterialised(ArgumentBinder& binder, const InputColumn& column, size_t local,
                                   const storage::PinnedExtents& pins) const {
  const MaterialisedTable::Column& stored = context_.MaterialisedAs(column.table)->At(column.id);
  binder.Bind({ArgumentKind::Column, local}, stored.values);
  if (column.form->HasValidity())
    binder.Bind({ArgumentKind::Validity, local}, stored.validity);
  if (!column.RefersToText())
    return;
  if (pins.data.empty())
    binder.Bind({ArgumentKind::Ends, local}, context_.NoRows());
  for (size_t extent = 0; extent < pins.data.size(); extent++)
    binder.Bind({ArgumentKind::Ends, local, extent}, pins.data[extent].Buffer());
  BindTexts(binder, local, pins);
}

bool PipelineRun::RunBatch(device::Kernel& kernel, SinkRun& sink, const Batch& batch) {
  device::Queue& queue = context_.Queue();
  const uint32_t work_group = kernel_.work_group;
  device::Event end = queue.Launch(kernel, size_t{batch.work_groups} * work_group, work_group);
  if (batch.is_whole && !sink.NeedsReport()) {
    Defer(name_, std::move(end), std::make_unique<KernelReport>());
    queue.ReadLater(faults_, 0, &context_.LastDeferredReport(), sizeof(KernelReport));
    return true;
  }
  sink.ReadBack(batch);
  queue.Read(faults_, 0, &report_, sizeof(report_));
  context_.Settle();
  const double milliseconds = static_cast<double>(end.KernelNanoseconds()) / 1e6;
  CountLaunches(name_, 1, milliseconds);
  ThrowFaults(report_.faults);
  const bool is_done = (report_.faults & compile::kUnfinishedBit) == 0;
  if (!is_done) {
    report_.faults = 0;
    context_.Timed([&] { queue.Write(faults_, 0, &report_, sizeof(report_)); });
  }
  context_.Fetching(context_.Program().pipelines[number_].sink,
                    [&] { sink.TakeBatch(*this, batch); });
  if (sink.BatchesAdapt()) {
    const double growth = std::clamp(kBatchMilliseconds / std::max(milliseconds, 0.01), 0.25, 4.0);
    batch_segments_ = std::max<size_t>(static_cast<size_t>(double(batch.segments) * growth), 1);
  }
  return is_done;
}

}  // namespace margay::execute
