#include "integration/operator/physical_part.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/query_profiler.hpp"
#include "duckdb/parallel/meta_pipeline.hpp"
#include "duckdb/parallel/pipeline.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "integration/image/table_extents.hpp"
#include "integration/image/tapped_rows.hpp"
#include "integration/instance.hpp"
#include "integration/operator/client_sleep.hpp"
#include "integration/operator/device_failure.hpp"
#include "integration/operator/part_description.hpp"
#include "integration/operator/part_program.hpp"
#include "integration/operator/physical_tap.hpp"
#include "integration/operator/result_writer.hpp"
#include "integration/version/pipelines.hpp"
#include "integration/version/runtime_filters.hpp"

namespace margay::integration {
namespace {

//! The part of the progress shown that preparing is, where anything has to be prepared.
constexpr double kShareOfPreparation = 0.9;

//! The rows of the child, where it had to answer after all.
class CollectedRows : public duckdb::GlobalSinkState {
 public:
  std::mutex mutex;
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
};

class CollectedRowsOfThread : public duckdb::LocalSinkState {
 public:
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
};

//! In auto mode: the device can't take the part now, or, once the rows of its taps are known, not
//! these.
class NotReady : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

//! Whether Margay limits its memory on the chosen device, and not only DuckDB's memory_limit does.
bool HasMemoryLimit(const Placement& placement) {
  return placement.place && placement.place->pool->Limit() != std::numeric_limits<uint64_t>::max();
}

}  // namespace

//! One execution on a device, or of the child after the device failed.
class PartSourceState : public duckdb::GlobalSourceState {
 public:
  duckdb::idx_t MaxThreads() override { return 1; }

  //! Share of the work done; from any thread.
  double Progress() {
    std::lock_guard<std::mutex> guard(run_mutex);
    double prepared = preparation;
    if (!run) {
      return prepared * kShareOfPreparation;
    }
    double base = prepared > 0 ? kShareOfPreparation : 0;
    return base + (1 - base) * run->Progress();
  }

  void SetRun(std::unique_ptr<execute::Run> new_run) {
    std::lock_guard<std::mutex> guard(run_mutex);
    run = std::move(new_run);
  }

  Placement placement;
  std::atomic<double> preparation{0};
  double encode_milliseconds = 0;   //!< of columns, the generation of kernels included
  double compile_milliseconds = 0;  //!< before the run
  bool is_started = false;
  bool uses_fallback = false;
  std::string fallback_reason;

  //! Guards the pointer against Progress(); only the thread of the source uses the run itself.
  std::mutex run_mutex;
  std::unique_ptr<execute::Run> run;
  std::optional<execute::ResultBatch> first_batch;
  ResultWriter writer;
  uint64_t rows_given = 0;

  duckdb::ColumnDataScanState fallback_scan;
};

PhysicalPart::PhysicalPart(duckdb::PhysicalPlan& plan, duckdb::ClientContext& context,
                           CapturedPart part, std::vector<PhysicalTap*> taps,
                           duckdb::PhysicalOperator& fallback)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, part.types,
                       fallback.estimated_cardinality),
      part_(std::make_shared<const CapturedPart>(std::move(part))),
      context_(context.shared_from_this()),
      taps_(std::move(taps)),
      fallback_(fallback) {
  children.push_back(fallback);
}

PhysicalPart::~PhysicalPart() = default;

//--------------------------------------------------------------------------------------------------
// EXPLAIN

Placement PhysicalPart::CurrentPlacement() const {
  try {
    auto context = context_.lock();
    if (!context || !context->transaction.HasActiveTransaction()) {
      Placement placement;
      placement.decision.reason = "not known outside of a query";
      return placement;
    }
    {
      std::lock_guard<std::mutex> guard(mutex_);
      if (placement_query_ == context->transaction.GetActiveQuery()) {
        return placement_;
      }
    }
    return PlacePart(*context, part_, Purpose::Explanation);
  } catch (std::exception& error) {
    Placement placement;
    placement.decision.reason = duckdb::ErrorData(error).RawMessage();
    return placement;
  }
}

std::string PhysicalPart::CurrentProgram(const Placement& placement) const {
  try {
    auto context = context_.lock();
    if (!context) {
      return "not known outside of a query";
    }
    const PartProgram program = ProgramOf(*context, *part_, placement);
    return program.text.empty() ? "none: " + program.reason
                                : "from " + program.statistics + " statistics:\n" + program.text;
  } catch (std::exception& error) {
    return "none: " + duckdb::ErrorData(error).RawMessage();
  }
}

duckdb::InsertionOrderPreservingMap<std::string> PhysicalPart::ParamsToString() const {
  duckdb::InsertionOrderPreservingMap<std::string> result;
  auto placement = CurrentPlacement();
  result["Margay"] = Decision(*part_, placement);
  if (placement.place) {
    result["Device"] = placement.place->device->Info().name;
    result["Shape"] = std::string(optimize::ShapeName(placement.shape));
  }
  result["Operators"] = part_->text;
  DescribePart(*part_, placement, result);
  DescribeTails(*part_, result);
  if (placement.settings.explains_programs) {
    result["Program"] = CurrentProgram(placement);
  }
  SetEstimatedCardinality(result, estimated_cardinality);
  return result;
}

duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> PhysicalPart::GetChildren()
    const {
  auto context = context_.lock();
  bool is_profiled = context && duckdb::QueryProfiler::Get(*context).IsEnabled();
  if (is_profiled || !CurrentPlacement().decision.is_on_device) {
    return {fallback_};
  }
  duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> taps;
  for (const PhysicalTap* tap : taps_) {
    taps.push_back(*tap);
  }
  return taps;
}

duckdb::InsertionOrderPreservingMap<std::string> PhysicalPart::ExtraSourceParams(
    duckdb::GlobalSourceState& global, duckdb::LocalSourceState&) const {
  duckdb::InsertionOrderPreservingMap<std::string> result;
  auto& state = static_cast<PartSourceState&>(global);
  if (state.uses_fallback) {
    result["Margay"] = "DuckDB, after the device: " + state.fallback_reason;
    return result;
  }
  if (!state.run) {
    return result;
  }
  result["Margay"] = "device";
  DescribePart(*part_, state.placement, result);
  DescribeRun(state.run->Statistics(), state.placement.times, state.encode_milliseconds,
              state.compile_milliseconds, result);
  return result;
}

//--------------------------------------------------------------------------------------------------
// Pipelines

duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> PhysicalPart::GetSources() const {
  return fallback_.GetSources();
}

duckdb::OrderPreservationType PhysicalPart::SourceOrder() const {
  if (part_->is_sorted) {
    return duckdb::OrderPreservationType::FIXED_ORDER;
  }
  return KeepsOrder() ? duckdb::OrderPreservationType::INSERTION_ORDER
                      : duckdb::OrderPreservationType::NO_ORDER;
}

bool PhysicalPart::SupportsPartitioning(const duckdb::OperatorPartitionInfo& info) const {
  if (info.RequiresPartitionColumns()) {
    return false;
  }
  return !info.RequiresBatchIndex() || fallback_.AllSourcesSupportBatchIndex();
}

duckdb::OperatorPartitionData PhysicalPart::GetPartitionData(
    duckdb::ExecutionContext&, duckdb::DataChunk&, duckdb::GlobalSourceState&,
    duckdb::LocalSourceState&, const duckdb::OperatorPartitionInfo&) const {
  // One thread gives all rows in order: one batch.
  return duckdb::OperatorPartitionData(0);
}

void PhysicalPart::BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) {
  op_state.reset();
  sink_state.reset();
  fallback_pipelines_.reset();
  auto& context = current.GetClientContext();
  auto placement = PlacePart(context, part_, Purpose::Execution);
  {
    std::lock_guard<std::mutex> guard(mutex_);
    placement_ = placement;
    placement_query_ = context.transaction.GetActiveQuery();
  }
  if (placement.decision.is_error) {
    throw duckdb::NotImplementedException("%s%s", kForcePrefix, placement.decision.reason);
  }
  if (!placement.decision.is_on_device) {
    Instance::Get(context)->counters.duckdb_executions++;
    for (PhysicalTap* tap : taps_) {
      tap->Pass();
    }
    fallback_.BuildPipelines(current, meta_pipeline);
    return;
  }
  SetSource(*this, current, meta_pipeline);
  if (!taps_.empty()) {
    ClearRuntimeFilters(fallback_);
    for (PhysicalTap* tap : taps_) {
      tap->Collect(current, meta_pipeline);
    }
  }
  fallback_pipelines_ = PreparePipelines(fallback_, *this, meta_pipeline);
}

//--------------------------------------------------------------------------------------------------
// Source

duckdb::unique_ptr<duckdb::GlobalSourceState> PhysicalPart::GetGlobalSourceState(
    duckdb::ClientContext&) const {
  auto state = duckdb::make_uniq<PartSourceState>();
  std::lock_guard<std::mutex> guard(mutex_);
  state->placement = placement_;
  // A prepared statement lives on: it may not hold on to data.
  placement_.copies.clear();
  placement_.made.part = nullptr;
  return state;
}

duckdb::ProgressData PhysicalPart::GetProgress(duckdb::ClientContext&,
                                               duckdb::GlobalSourceState& state) const {
  duckdb::ProgressData progress;
  progress.done = std::min(1.0, static_cast<PartSourceState&>(state).Progress());
  progress.total = 1;
  return progress;
}

duckdb::SourceResultType PhysicalPart::GetDataInternal(duckdb::ExecutionContext& context,
                                                       duckdb::DataChunk& chunk,
                                                       duckdb::OperatorSourceInput& input) const {
  auto& state = static_cast<PartSourceState&>(input.global_state);
  if (!state.is_started) {
    state.is_started = true;
    {
      const ClientSleep sleep(ExecutorOf(context));
      state.uses_fallback = !StartOnDevice(context.client, state);
    }
    if (state.uses_fallback) {
      StartFallback(context, state);
    }
    DropTaps();
  }
  return state.uses_fallback ? NextFromFallback(chunk, state) : NextFromDevice(chunk, state);
}

void PhysicalPart::ReleaseRun(PartSourceState& state) {
  state.SetRun(nullptr);
  state.placement.copies.clear();
  state.placement.made.part = nullptr;
}

bool PhysicalPart::StartOnDevice(duckdb::ClientContext& context, PartSourceState& state) const {
  auto instance = Instance::Get(context);
  schedule::Attempts attempts(state.placement.settings);
  bool is_started = true;
  while (true) {
    try {
      state.placement.settings.partitions = attempts.Partitions();
      Attempt(context, state, attempts.Kind());
      instance->counters.device_executions++;
      return true;
    } catch (const execute::Interrupted&) {
      throw duckdb::InterruptException();
    } catch (const NotReady& cause) {
      state.fallback_reason = cause.what();
      is_started = false;
      break;
    } catch (const execute::ArithmeticFault& fault) {
      state.fallback_reason = fault.what();  // also in force mode
      break;
    } catch (const duckdb::Exception&) {
      throw;
    } catch (const std::exception& error) {
      const auto failure = DeviceFailure::Of(error);
      if (!failure) {
        throw;
      }
      if (state.placement.place && state.placement.place->device->IsLost()) {
        instance->DropDevice(*state.placement.place->device);
      }
      if (attempts.TryAgainAfter(failure->Kind(), !state.placement.made.partitions.empty())) {
        continue;
      }
      if (state.placement.settings.mode == Mode::Force) {
        failure->Throw(HasMemoryLimit(state.placement));
      }
      state.fallback_reason = failure->Reason();
      break;
    }
  }
  ReleaseRun(state);  // where it was not admitted
  instance->counters.runtime_fallbacks += is_started ? 1 : 0;
  instance->counters.duckdb_executions++;
  return false;
}

void PhysicalPart::Attempt(duckdb::ClientContext& context, PartSourceState& state,
                           schedule::Admission::Kind kind) const {
  const auto place = state.placement.place;
  auto is_interrupted = [&context] { return context.IsInterrupted(); };
  const bool is_forced = state.placement.settings.mode == Mode::Force;
  const auto ticket = is_forced ? place->admission->Enter(kind, is_interrupted)
                                : place->admission->TryEnterTogether();
  if (!ticket && is_forced) {
    throw execute::Interrupted();
  }
  if (!ticket) {
    throw NotReady("another query has to be alone on the device, for lack of memory");
  }
  Instance::Get(context)->counters.executions_alone +=
      kind == schedule::Admission::Kind::Alone ? 1 : 0;
  try {
    RunOnDevice(context, state);
  } catch (...) {
    ReleaseRun(state);  // before the ticket goes: the next one may have to be alone
    throw;
  }
}

void PhysicalPart::RunOnDevice(duckdb::ClientContext& context, PartSourceState& state) const {
  auto& placement = state.placement;
  auto& counters = Instance::Get(context)->counters;
  auto is_interrupted = [&context] { return context.IsInterrupted(); };
  ReadControl control;
  control.is_interrupted = is_interrupted;
  control.progress = &state.preparation;
  const auto start = std::chrono::steady_clock::now();
  if (placement.copies.empty() || (!placement.made.part && taps_.empty())) {
    auto prepared = Prepare(context, *part_, placement.settings, control, Maker::Query);
    if (auto* refusal = std::get_if<plan::Refusal>(&prepared)) {
      throw duckdb::NotImplementedException("%s%s", kForcePrefix, refusal->reason);
    }
    auto& ready = std::get<PreparedPart>(prepared);
    placement.place = ready.place;
    placement.shape = ready.shape;
    placement.copies = ready.copies;
    placement.made = ready.made;
  }
  if (!taps_.empty()) {
    PrepareTaps(context, state, control);
  }
  control.ThrowIfInterrupted();
  if (placement.settings.mode != Mode::Force && !placement.made.part->IsBuilt()) {
    // Those of taps, and what somebody evicted since the decision.
    Instance::Get(context)->builder.Start({part_, placement.settings, placement.made.part});
    throw NotReady("the kernel is not compiled yet");
  }
  const auto encoded = std::chrono::steady_clock::now();
  execute::RunOptions options;
  if (placement.settings.mode == Mode::Force) {
    // Before the kernel is compiled: others may drop columns from the images meanwhile.
    ReadControl quiet = control;
    quiet.progress = nullptr;
    options.source = std::make_shared<TableExtents>(context, placement.copies, quiet);
  }
  options.threads = static_cast<uint32_t>(
      std::max<int32_t>(1, duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads()));
  Build(*placement.made.part, options.threads, counters);
  const std::chrono::duration<double, std::milli> encoding = encoded - start;
  const std::chrono::duration<double, std::milli> compilation =
      std::chrono::steady_clock::now() - encoded;
  state.encode_milliseconds = encoding.count();
  state.compile_milliseconds = compilation.count();
  options.interrupted = is_interrupted;
  state.SetRun(placement.made.part->Start(std::move(options)));
  state.first_batch = state.run->Next();
  counters.Add(state.run->Statistics());
  counters.partitioned_executions += placement.made.partitions.empty() ? 0 : 1;
  counters.lower_nanoseconds += Nanoseconds(placement.times.lower_milliseconds);
  counters.decide_nanoseconds += Nanoseconds(placement.times.decide_milliseconds);
}

void PhysicalPart::PrepareTaps(duckdb::ClientContext& context, PartSourceState& state,
                               const ReadControl& control) const {
  auto& placement = state.placement;
  const bool is_forced = placement.settings.mode == Mode::Force;
  auto read = [&](size_t number, const plan::Node& scan) {
    return EncodeRows(context, taps_[number]->Rows(), scan, placement.place,
                      placement.settings.dictionary_strings, control);
  };
  auto& instance = *Instance::Get(context);
  auto refusal = ReadTaps(*part_, read, placement.copies);
  if (!refusal) {
    auto made =
        MakePart(*part_, placement.copies, placement.shape, placement.settings, instance.counters);
    if (auto* problem = std::get_if<plan::Refusal>(&made)) {
      refusal = *problem;
    } else {
      placement.made = std::get<MadePart>(made);
    }
  }
  if (refusal && is_forced) {
    throw duckdb::NotImplementedException("%s%s", kForcePrefix, refusal->reason);
  }
  if (refusal) {
    // Not to collect the rows in vain the next time.
    instance.builder.NoteProblem({part_, placement.settings, nullptr}, refusal->reason);
    throw NotReady(refusal->reason);
  }
}

void PhysicalPart::DropTaps() const {
  for (PhysicalTap* tap : taps_) {
    tap->DropRows();
  }
}

void PhysicalPart::CheckTails(const PartSourceState& state) const {
  const auto& settings = state.placement.settings;
  if (settings.mode != Mode::Force || part_->tail_reasons.empty()) {
    return;
  }
  uint64_t rows = std::max(state.run->Statistics().rows_out, state.rows_given);
  if (rows > settings.tail_rows) {
    throw duckdb::NotImplementedException("%s%s", kForcePrefix, TailError(*part_, settings));
  }
}

duckdb::SourceResultType PhysicalPart::NextFromDevice(duckdb::DataChunk& chunk,
                                                      PartSourceState& state) const {
  size_t rows = state.writer.Write(chunk);
  while (rows == 0) {
    auto batch = std::move(state.first_batch);
    state.first_batch.reset();
    if (!batch) {
      try {
        batch = state.run->Next();
      } catch (const execute::Interrupted&) {
        throw duckdb::InterruptException();
      } catch (const std::exception& error) {
        // Rows may have reached the user: too late for the child.
        throw duckdb::IOException("margay: the result of a device was lost: %s",
                                  std::string(error.what()));
      }
    }
    if (!batch) {
      return duckdb::SourceResultType::FINISHED;
    }
    state.writer.SetBatch(std::move(*batch));
    rows = state.writer.Write(chunk);
  }
  state.rows_given += rows;
  CheckTails(state);
  return duckdb::SourceResultType::HAVE_MORE_OUTPUT;
}

//--------------------------------------------------------------------------------------------------
// The child after a failure of the device

void PhysicalPart::StartFallback(duckdb::ExecutionContext& context, PartSourceState& state) const {
  RunPipelines(context, *fallback_pipelines_, Instance::Get(context.client)->reschedule_mutex);
  if (sink_state) {
    static_cast<CollectedRows&>(*sink_state).rows->InitializeScan(state.fallback_scan);
  }
}

duckdb::SourceResultType PhysicalPart::NextFromFallback(duckdb::DataChunk& chunk,
                                                        PartSourceState& state) const {
  if (!sink_state) {
    return duckdb::SourceResultType::FINISHED;
  }
  static_cast<CollectedRows&>(*sink_state).rows->Scan(state.fallback_scan, chunk);
  return chunk.size() == 0 ? duckdb::SourceResultType::FINISHED
                           : duckdb::SourceResultType::HAVE_MORE_OUTPUT;
}

duckdb::unique_ptr<duckdb::GlobalSinkState> PhysicalPart::GetGlobalSinkState(
    duckdb::ClientContext& context) const {
  auto state = duckdb::make_uniq<CollectedRows>();
  state->rows = duckdb::make_uniq<duckdb::ColumnDataCollection>(context, types);
  return state;
}

duckdb::unique_ptr<duckdb::LocalSinkState> PhysicalPart::GetLocalSinkState(
    duckdb::ExecutionContext& context) const {
  auto state = duckdb::make_uniq<CollectedRowsOfThread>();
  state->rows = duckdb::make_uniq<duckdb::ColumnDataCollection>(context.client, types);
  return state;
}

duckdb::SinkResultType PhysicalPart::Sink(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                          duckdb::OperatorSinkInput& input) const {
  static_cast<CollectedRowsOfThread&>(input.local_state).rows->Append(chunk);
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType PhysicalPart::Combine(duckdb::ExecutionContext&,
                                                    duckdb::OperatorSinkCombineInput& input) const {
  auto& collected = static_cast<CollectedRows&>(input.global_state);
  std::lock_guard<std::mutex> guard(collected.mutex);
  collected.rows->Combine(*static_cast<CollectedRowsOfThread&>(input.local_state).rows);
  return duckdb::SinkCombineResultType::FINISHED;
}

}  // namespace margay::integration
