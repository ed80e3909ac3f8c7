#include "execute/kernel_run.hpp"

#include <algorithm>

#include "execute/build_run.hpp"
#include "storage/constants.hpp"

namespace margay::execute {

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
bool IsScanned(const compile::InputColumn& column) {
  return column.image && !column.is_whole;
}

}  // namespace

void Grow(device::Buffer& buffer, device::Device& device, size_t bytes, device::Access access) {
  if (!buffer.IsEmpty() && buffer.Size() >= bytes)
    return;
  buffer = device::Buffer();
  buffer = device.CreateBuffer(std::max<size_t>(bytes, sizeof(int64_t)), access);
}

KernelRun::KernelRun(const std::shared_ptr<const CompiledPart>& part, const RunOptions& options)
    : KernelRun(part, part->Program().result, options, std::make_shared<RunTables>()) {
  for (const compile::GeneratedKernel& build : part->Program().builds)
    Hold(build);
  for (const CompiledPart::Input& input : part->Inputs())
    inners_.push_back(input.inner ? input.inner->Start(options)
                                  : std::vector<std::unique_ptr<KernelRun>>());
  tables_->kept.resize(inners_.size());
}

KernelRun::KernelRun(std::shared_ptr<const CompiledPart> part,
                     const compile::GeneratedKernel& kernel, RunOptions options,
                     std::shared_ptr<RunTables> tables)
    : part_(std::move(part)),
      kernel_(kernel),
      options_(std::move(options)),
      tables_(std::move(tables)),
      name_(part_->NameOf(kernel)),
      column_pins_(options_.source, statistics_.extents_restored) {
  Hold(Kernel());
}

void KernelRun::Hold(const compile::GeneratedKernel& kernel) {
  column_pins_.Hold(kernel.columns);
  column_pins_.Hold(kernel.joined_columns);
  column_pins_.Hold(kernel.collect.columns);
}

std::vector<storage::PinnedExtents> KernelRun::PinWhole(
    const std::vector<compile::InputColumn>& columns) {
  std::vector<storage::PinnedExtents> pins;
  for (const compile::InputColumn& column : columns) {
    if (column.RefersToText())
      pins.push_back(column_pins_.PinWhole(*column.TextImage()));
    else if (column.image)
      pins.push_back(column_pins_.PinWhole(*column.image));
    else
      pins.emplace_back();
  }
  return pins;
}

void KernelRun::PinJoined() {
  if (pins_.size() == Kernel().columns.size() &&
      joined_pins_.size() == Kernel().joined_columns.size())
    return;
  joined_pins_ = PinWhole(Kernel().joined_columns);
  pins_.resize(Kernel().columns.size());
  for (size_t i = 0; i < pins_.size(); i++) {
    if (!IsScanned(Kernel().columns[i]))
      pins_[i] = std::move(PinWhole({Kernel().columns[i]})[0]);
  }
}

void KernelRun::PinScanned(size_t extent) {
  if (scanned_extent_ == extent)
    return;
  scanned_extent_.reset();
  std::vector<const storage::ColumnImage*> images;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < pins_.size(); i++) {
    const compile::InputColumn& column = Kernel().columns[i];
    if (!IsScanned(column))
      continue;
    pins_[i] = {};
    images.push_back(column.image.get());
    numbers.push_back(i);
  }
  std::vector<storage::PinnedExtents> pins = column_pins_.Pin(images, extent);
  for (size_t i = 0; i < numbers.size(); i++)
    pins_[numbers[i]] = std::move(pins[i]);
  scanned_extent_ = extent;
}

void KernelRun::Unpin() {
  scanned_extent_.reset();
  pins_.clear();
  joined_pins_.clear();
}

std::vector<memory::ExtentPin> KernelRun::PinStrings(
    const std::vector<compile::InputColumn>& columns) const {
  std::vector<memory::ExtentPin> pins;
  pins.reserve(columns.size());
  for (const compile::InputColumn& column : columns)
    pins.push_back(column.image->Strings().Pin(*column.form->GetDictionary(), part_->Pool()));
  return pins;
}

double KernelRun::RunBuilds() {
  double for_others = 0;
  for (const compile::GeneratedKernel& build : part_->Program().builds) {
    builds_.push_back(std::make_unique<BuildRun>(part_, build, options_, tables_));
    builds_.back()->RunAll();
    const RunStatistics& statistics = builds_.back()->Statistics();
    AddStatistics(statistics);
    if (statistics.structures_built > 0)
      for_others += statistics.kernel_milliseconds;
    if (options_.source && part_->Pool().IsTight()) {
      SettleAll();
      builds_.back()->Unpin();
    }
  }
  return for_others;
}

void KernelRun::RunInners(Execution& execution) {
  for (size_t table = 0; table < inners_.size(); table++) {
    if (inners_[table].empty())
      continue;
    tables_->kept[table] = execution.Get(*part_->Inputs()[table].inner, [&] {
      std::shared_ptr<const KeptTable> kept;
      for (auto& run : inners_[table]) {
        kept = run->Keep(execution);
        AddStatistics(run->Statistics());
        run.reset();
      }
      return kept;
    });
    inners_[table].clear();
  }
}

void KernelRun::CountLaunches(const std::string& name, uint64_t launches, double milliseconds) {
  statistics_.launches += launches;
  statistics_.kernel_milliseconds += milliseconds;
  const auto own = statistics_.kernels.begin() + static_cast<ptrdiff_t>(kernels_before_);
  auto kernel = std::find_if(own, statistics_.kernels.end(),
                             [&](const KernelStatistics& known) { return known.name == name; });
  if (kernel == statistics_.kernels.end())
    kernel = statistics_.kernels.insert(kernel, {name, 0, 0});
  kernel->launches += launches;
  kernel->milliseconds += milliseconds;
}

void KernelRun::AddStatistics(const RunStatistics& statistics) {
  statistics_.AddWork(statistics);
  statistics_.rows_in += statistics.rows_in;
  statistics_.segments += statistics.segments;
  statistics_.segments_skipped += statistics.segments_skipped;
}

size_t KernelRun::SegmentsInTexts(const size_t* segments, size_t count) const {
  for (const compile::InputColumn& column : Kernel().text_columns) {
    const auto is_elsewhere = [&](size_t segment) {
      return column.image->TextExtentOf(segment) != column.image->TextExtentOf(segments[0]);
    };
    count = static_cast<size_t>(std::find_if(segments, segments + count, is_elsewhere) - segments);
  }
  return count;
}

uint32_t KernelRun::ComputeUnits() const {
  const device::DeviceInfo& info = part_->GetDevice().Info();
  // A CPU device runs beside DuckDB's own threads, within their number.
  return info.kind == device::DeviceKind::Cpu ? std::min(options_.threads, info.compute_units)
                                              : info.compute_units;
}

uint32_t KernelRun::WorkGroups(uint32_t units) const {
  const device::DeviceInfo& info = part_->GetDevice().Info();
  uint32_t groups = ComputeUnits();
  if (groups == info.compute_units)
    groups *= info.kind == device::DeviceKind::Gpu ? kGroupsPerMultiprocessor : kGroupsPerCore;
  const uint32_t enough = (units - 1) / Kernel().units_per_work_group + 1;
  return std::max(std::min({groups, units, MostWorkGroups()}), enough);
}

void KernelRun::RunKernels(Execution& execution) {
  RunInners(execution);
  tables_->queue = &execution.Queue();
  const double before = statistics_.kernel_milliseconds;
  const uint64_t rows_before = statistics_.rows_in;
  const double for_others = RunBuilds();
  kernels_before_ = statistics_.kernels.size();
  RunAll();
  if (!tables_->pending.empty())
    SettleAll();
  part_->LearnTime((statistics_.kernel_milliseconds - before - for_others) * 1e6 * ComputeUnits(),
                   statistics_.rows_in - rows_before);
  builds_.clear();
  Unpin();
}

void KernelRun::SettleAll() {
  Queue().Finish();
  Settle();
}

void KernelRun::Settle() {
  const std::vector<PendingLaunch> pending = std::move(tables_->pending);
  tables_->pending.clear();
  for (const PendingLaunch& launch : pending) {
    CountLaunches(launch.kernel, 1, static_cast<double>(launch.end.KernelNanoseconds()) / 1e6);
    if (launch.report)
      ThrowFaults(launch.report->faults);
  }
}

std::shared_ptr<const KeptTable> KernelRun::Keep(Execution& execution) {
  RunKernels(execution);
  return FinishKept();
}

std::shared_ptr<const KeptTable> KernelRun::FinishKept() {
  throw std::logic_error("KernelRun: this result is not kept on the device");
}

std::optional<ResultBatch> KernelRun::Next() {
  if (!is_done_) {
    Execution execution(*part_);
    RunKernels(execution);
    Finish();
    statistics_.host_waits = execution.Queue().Waits();
    // Whoever reads the result may take long; others need the memory.
    ReleaseSink();
    column_pins_.Release();
    strings_.clear();
    tables_->joins = JoinBuffers();
    std::fill(tables_->kept.begin(), tables_->kept.end(), nullptr);
    is_done_ = true;
    progress_ = 1;
  }
  if (results_.empty())
    return std::nullopt;
  ResultBatch batch = std::move(results_.front());
  results_.pop_front();
  statistics_.rows_out += batch.rows;
  return batch;
}

bool KernelRun::MayJoin(size_t segment) const {
  return std::all_of(Kernel().ranged_joins.begin(), Kernel().ranged_joins.end(),
                     [&](const compile::GeneratedKernel::RangedJoin& join) {
                       const KeyRange& keys = tables_->key_ranges.at(join.build);
                       const auto& statistics = join.column.form->Segments()[segment];
                       return statistics.HasValues() && statistics.min <= keys.greatest &&
                              statistics.max >= keys.least;
                     });
}

void KernelRun::CountWork(const WorkList& work, const Batch& batch) {
  statistics_.segments_skipped -= batch.segments;
  for (size_t i = 0; i < batch.segments; i++) {
    const size_t segment = batch.segment_numbers[i];
    const uint64_t rows = work.RowsOf(segment);
    statistics_.rows_in += rows;
    for (const compile::InputColumn& column : Kernel().columns) {
      statistics_.bytes_touched += rows * column.form->Width();
      if (column.form->HasValidity())
        statistics_.bytes_touched += (rows + 7) / 8;
      if (column.HoldsText())
        statistics_.bytes_touched += column.image->Segments()[segment].text_bytes;
    }
  }
}

void KernelRun::RunAll() {
  device::Device& device = part_->GetDevice();
  const auto start = std::chrono::steady_clock::now();
  const auto program = device.Programs().Get(Kernel().source);
  const device::ProgramStatistics program_statistics = program->Statistics();
  statistics_.kernel_origin = program_statistics.uses > 1 ? "memory" : program_statistics.origin;
  statistics_.compile_milliseconds +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  const auto& image = part_->Inputs()[Kernel().table].image;
  const uint64_t rows = RowsOf(Kernel().table);
  WorkList work(
      rows, image ? image->SegmentsPerExtent() : std::max<size_t>(storage::SegmentCount(rows), 1),
      [&](size_t segment) { return Kernel().filter->MayMatch(segment) && MayJoin(segment); });
  Arrange(work);
  statistics_.segments += work.Segments();
  statistics_.segments_skipped += work.Segments();  // less those that batches read
  // At the least: a row looks up one row.
  for (const compile::InputColumn& column : Kernel().joined_columns)
    statistics_.bytes_touched += std::min(rows, RowsOf(column.table)) * column.form->Width();
  progress_ = 0;
  device::Kernel kernel = program->CreateKernel(compile::kKernelName);
  parameters_ = Constant(Kernel().parameters.Words());
  lookups_ = Constant(Kernel().parameters.LookupBytes());
  Timed([&] { strings_ = PinStrings(Kernel().string_columns); });
  Grow(faults_, device, sizeof(KernelReport), device::Access::ReadWrite);
  Timed([&] { PinJoined(); });
  const auto lacks_rows = [](const storage::PinnedExtents& pins) {
    return pins.data.empty() || pins.texts.empty();
  };
  bool needs_rows = std::any_of(joined_pins_.begin(), joined_pins_.end(), lacks_rows);
  for (size_t i = 0; i < pins_.size(); i++)
    needs_rows = needs_rows || (Kernel().columns[i].IsText() && !IsScanned(Kernel().columns[i]) &&
                                lacks_rows(pins_[i]));
  if (needs_rows) {
    no_rows_ = device.CreateZeroedBuffer(2 * sizeof(int64_t), device::Access::ReadOnly, Queue());
  }
  Timed([&] {
    report_ = {};
    Queue().Write(faults_, 0, &report_, sizeof(report_));
  });
  batch_segments_ = device.Info().kind == device::DeviceKind::Gpu
                        ? kFirstSegmentsOfGpu
                        : kFirstSegmentsPerComputeUnit * device.Info().compute_units;
  const auto& joins = Kernel().joins;
  if (std::any_of(joins.begin(), joins.end(),
                  [](const compile::JoinTable& table) { return !table.keys_are_unique; })) {
    batch_segments_ = kFirstSegmentsOfChains;
  }
  for (const ExtentWork& extent : work.Extents())
    RunExtent(Queue(), kernel, work, extent);
}

void KernelRun::ThrowFaults(int32_t faults) {
  if ((faults & compile::kFaultBit) != 0)
    throw ArithmeticFault(
        "a value is out of its type's range, or groups have a negative zero or NaN among their "
        "keys; DuckDB runs this part again");
  if ((faults & compile::kFullBit) != 0)
    throw TableFull();
}

void KernelRun::RunExtent(device::Queue& queue, device::Kernel& kernel, const WorkList& work,
                          const ExtentWork& extent) {
  for (size_t done = 0; done < extent.segments.size();) {
    Batch batch;
    batch.segment_numbers = extent.segments.data() + done;
    batch.segments = UsefulSegments(
        batch.segment_numbers,
        SegmentsInTexts(batch.segment_numbers, std::min({batch_segments_, LargestBatch(),
                                                         extent.segments.size() - done})));
    if (batch.segments == 0)
      return;
    Timed([&] { PinScanned(extent.extent); });
    CountWork(work, batch);
    batch.units = static_cast<uint32_t>(batch.segments * Kernel().units_per_segment);
    batch.work_groups = WorkGroups(batch.units);
    batch.is_whole = batch.segments == work.LiveSegments();
    BindSegments(kernel, work.Descriptors(Kernel(), batch.segment_numbers, batch.segments),
                 batch.is_whole);
    if (Kernel().is_resumable) {
      const size_t bytes =
          size_t{batch.units} * Kernel().work_group * Kernel().resume_words * sizeof(uint32_t);
      Grow(resume_, part_->GetDevice(), bytes, device::Access::ReadWrite);
      Timed([&] { queue.Fill(resume_, 0, bytes, 0); });
    }
    bool is_done = false;
    while (!is_done) {
      ThrowIfInterrupted();
      BindSink(kernel, BindColumns(kernel, batch.segment_numbers[0]), batch);
      is_done = RunBatch(queue, kernel, batch);
    }
    done += batch.segments;
    progress_ = progress_ + static_cast<double>(batch.segments) /
                                static_cast<double>(std::max<uint64_t>(work.LiveSegments(), 1));
  }
}

void KernelRun::BindSegments(device::Kernel& kernel, const std::vector<int64_t>& descriptors,
                             bool is_whole) {
  if (is_whole) {
    whole_segments_ = Constant(descriptors);
    kernel.Argument(2, *whole_segments_);
    return;
  }
  const size_t bytes = descriptors.size() * sizeof(int64_t);
  Grow(segments_, part_->GetDevice(), bytes, device::Access::ReadOnly);
  Timed([&] { Queue().Write(segments_, 0, descriptors.data(), bytes); });
  kernel.Argument(2, segments_);
}

uint32_t KernelRun::BindColumns(device::Kernel& kernel, size_t segment) const {
  uint32_t argument = 5;
  for (size_t i = 0; i < pins_.size(); i++) {
    const storage::PinnedExtents& pins = pins_[i];
    const compile::InputColumn& column = Kernel().columns[i];
    if (!IsScanned(column)) {
      argument = BindJoined(kernel, argument, column, pins, no_rows_);
      continue;
    }
    kernel.Argument(argument++, pins.data[0].Buffer());
    if (!pins.validity.empty())
      kernel.Argument(argument++, pins.validity[0].Buffer());
    if (!pins.texts.empty()) {
      const size_t first = column.image->FirstTextOf(*scanned_extent_);
      kernel.Argument(argument++, pins.texts[column.image->TextExtentOf(segment) - first].Buffer());
    }
  }
  const auto& joined = Kernel().joined_columns;
  for (size_t i = 0; i < joined.size(); i++)
    argument = BindJoined(kernel, argument, joined[i], joined_pins_[i], no_rows_);
  for (const memory::ExtentPin& strings : strings_)
    kernel.Argument(argument++, strings.Buffer());
  for (const compile::JoinTable& table : Kernel().joins)
    argument = Joins().Bind(table, kernel, argument);
  if (Kernel().is_resumable)
    kernel.Argument(argument++, resume_);
  return argument;
}

uint32_t KernelRun::BindJoined(device::Kernel& kernel, uint32_t argument,
                               const compile::InputColumn& column,
                               const storage::PinnedExtents& pins,
                               const device::Buffer& no_rows) const {
  if (!column.image)
    return BindKept(kernel, argument, column, pins, no_rows);
  if (pins.data.empty())
    kernel.Argument(argument++, no_rows);
  for (size_t extent = 0; extent < pins.data.size(); extent++) {
    kernel.Argument(argument++, pins.data[extent].Buffer());
    if (!pins.validity.empty())
      kernel.Argument(argument++, pins.validity[extent].Buffer());
  }
  return column.IsText() ? BindTexts(kernel, argument, pins, no_rows) : argument;
}

uint32_t KernelRun::BindTexts(device::Kernel& kernel, uint32_t argument,
                              const storage::PinnedExtents& pins, const device::Buffer& no_rows) {
  if (pins.texts.empty())
    kernel.Argument(argument++, no_rows);
  for (const memory::ExtentPin& text : pins.texts)
    kernel.Argument(argument++, text.Buffer());
  return argument;
}

uint32_t KernelRun::BindKept(device::Kernel& kernel, uint32_t argument,
                             const compile::InputColumn& column, const storage::PinnedExtents& pins,
                             const device::Buffer& no_rows) const {
  const KeptTable::Column& kept = Kept(column.table)->At(column.id);
  kernel.Argument(argument++, kept.values);
  if (column.form->HasValidity())
    kernel.Argument(argument++, kept.validity);
  if (!column.RefersToText())
    return argument;
  if (pins.data.empty())
    kernel.Argument(argument++, no_rows);
  for (const memory::ExtentPin& ends : pins.data)
    kernel.Argument(argument++, ends.Buffer());
  return BindTexts(kernel, argument, pins, no_rows);
}

uint64_t KernelRun::RowsOf(size_t table) const {
  const auto& image = part_->Inputs()[table].image;
  return image ? image->Rows() : Kept(table)->Rows();
}

bool KernelRun::RunBatch(device::Queue& queue, device::Kernel& kernel, const Batch& batch) {
  kernel.Argument(0, *parameters_)
      .Argument(1, *lookups_)
      .Argument(3, batch.units)
      .Argument(4, faults_);
  const uint32_t work_group = Kernel().work_group;
  device::Event end = queue.Launch(kernel, size_t{batch.work_groups} * work_group, work_group);
  if (batch.is_whole && !NeedsReport()) {
    Defer(name_, std::move(end), std::make_unique<KernelReport>());
    queue.ReadAsync(faults_, 0, tables_->pending.back().report.get(), sizeof(KernelReport));
    return true;
  }
  queue.Read(faults_, 0, &report_, sizeof(report_));
  Settle();
  const double milliseconds = static_cast<double>(end.KernelNanoseconds()) / 1e6;
  CountLaunches(name_, 1, milliseconds);
  ThrowFaults(report_.faults);
  const bool is_done = (report_.faults & compile::kUnfinishedBit) == 0;
  if (!is_done) {
    report_.faults = 0;
    Timed([&] { queue.Write(faults_, 0, &report_, sizeof(report_)); });
  }
  TakeBatch(queue, batch);
  if (BatchesAdapt()) {
    const double growth = std::clamp(kBatchMilliseconds / std::max(milliseconds, 0.01), 0.25, 4.0);
    batch_segments_ = std::max<size_t>(static_cast<size_t>(double(batch.segments) * growth), 1);
  }
  return is_done;
}

}  // namespace margay::execute
