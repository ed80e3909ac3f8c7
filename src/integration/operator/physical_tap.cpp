#include "integration/operator/physical_tap.hpp"

#include <atomic>
#include <mutex>

#include "duckdb/common/types/batched_data_collection.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parallel/meta_pipeline.hpp"
#include "duckdb/parallel/pipeline.hpp"
#include "integration/version/pipelines.hpp"

namespace margay::integration {
namespace {

//! Counted by memory_limit, and written to disk where memory is short.
constexpr auto kAllocator = duckdb::ColumnDataAllocatorType::BUFFER_MANAGER_ALLOCATOR;

class TapSink : public duckdb::GlobalSinkState {
 public:
  TapSink(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types)
      : batches(context, types, kAllocator) {}

  std::mutex mutex;
  duckdb::BatchedDataCollection batches;
  //! For rows that have no batch: those of each thread are one, in the order of their beginnings.
  std::atomic<duckdb::idx_t> next_batch{0};
  duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;  //!< all of them, at the end
};

class TapSinkOfThread : public duckdb::LocalSinkState {
 public:
  TapSinkOfThread(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types,
                  duckdb::idx_t own_batch)
      : batches(context, types, kAllocator), own_batch(own_batch) {}

  duckdb::BatchedDataCollection batches;
  const duckdb::idx_t own_batch;
};

//! One thread reads what was collected.
class TapSource : public duckdb::GlobalSourceState {
 public:
  bool is_started = false;
  duckdb::ColumnDataScanState scan;
};

}  // namespace

PhysicalTap::PhysicalTap(duckdb::PhysicalPlan& plan, duckdb::ClientContext& context,
                         std::string reason, duckdb::PhysicalOperator& child)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, child.types,
                       child.estimated_cardinality),
      reason_(std::move(reason)),
      keeps_order_(duckdb::PhysicalPlanGenerator::PreserveInsertionOrder(context, child)),
      has_batches_(keeps_order_ && duckdb::PhysicalPlanGenerator::UseBatchIndex(context, child)) {
  children.push_back(child);
}

duckdb::InsertionOrderPreservingMap<std::string> PhysicalTap::ParamsToString() const {
  duckdb::InsertionOrderPreservingMap<std::string> result;
  result["Runs in"] = "DuckDB, whose rows the part above reads";
  result["Reason"] = reason_;
  SetEstimatedCardinality(result, estimated_cardinality);
  return result;
}

void PhysicalTap::Pass() {
  collects_ = false;
}

void PhysicalTap::Collect(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) {
  collects_ = true;
  AddInput(*this, current, meta_pipeline);
}

const duckdb::ColumnDataCollection& PhysicalTap::Rows() const {
  return *static_cast<const TapSink&>(*sink_state).rows;
}

void PhysicalTap::DropRows() {
  // The state itself stays: DuckDB asks sinks for their progress until the query ends.
  static_cast<TapSink&>(*sink_state).rows.reset();
}

duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> PhysicalTap::GetSources() const {
  return children[0].get().GetSources();
}

void PhysicalTap::BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) {
  if (collects_) {
    SetSource(*this, current, meta_pipeline);
  } else {
    children[0].get().BuildPipelines(current, meta_pipeline);
  }
}

//--------------------------------------------------------------------------------------------------
// Sink

duckdb::OperatorPartitionInfo PhysicalTap::RequiredPartitionInfo() const {
  return has_batches_ ? duckdb::OperatorPartitionInfo::BatchIndex()
                      : duckdb::OperatorPartitionInfo::NoPartitionInfo();
}

duckdb::unique_ptr<duckdb::GlobalSinkState> PhysicalTap::GetGlobalSinkState(
    duckdb::ClientContext& context) const {
  return duckdb::make_uniq<TapSink>(context, types);
}

duckdb::unique_ptr<duckdb::LocalSinkState> PhysicalTap::GetLocalSinkState(
    duckdb::ExecutionContext& context) const {
  return duckdb::make_uniq<TapSinkOfThread>(context.client, types,
                                            static_cast<TapSink&>(*sink_state).next_batch++);
}

duckdb::SinkResultType PhysicalTap::Sink(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                         duckdb::OperatorSinkInput& input) const {
  auto& state = static_cast<TapSinkOfThread&>(input.local_state);
  state.batches.Append(
      chunk, has_batches_ ? state.partition_info.batch_index.GetIndex() : state.own_batch);
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType PhysicalTap::Combine(duckdb::ExecutionContext&,
                                                   duckdb::OperatorSinkCombineInput& input) const {
  auto& state = static_cast<TapSink&>(input.global_state);
  std::lock_guard<std::mutex> guard(state.mutex);
  state.batches.Merge(static_cast<TapSinkOfThread&>(input.local_state).batches);
  return duckdb::SinkCombineResultType::FINISHED;
}

duckdb::SinkFinalizeType PhysicalTap::Finalize(duckdb::Pipeline&, duckdb::Event&,
                                               duckdb::ClientContext&,
                                               duckdb::OperatorSinkFinalizeInput& input) const {
  auto& state = static_cast<TapSink&>(input.global_state);
  state.rows = state.batches.FetchCollection();
  return duckdb::SinkFinalizeType::READY;
}

//--------------------------------------------------------------------------------------------------
// Source

duckdb::unique_ptr<duckdb::GlobalSourceState> PhysicalTap::GetGlobalSourceState(
    duckdb::ClientContext&) const {
  return duckdb::make_uniq<TapSource>();
}

bool PhysicalTap::SupportsPartitioning(const duckdb::OperatorPartitionInfo& info) const {
  return !info.RequiresPartitionColumns();
}

duckdb::OperatorPartitionData PhysicalTap::GetPartitionData(
    duckdb::ExecutionContext&, duckdb::DataChunk&, duckdb::GlobalSourceState&,
    duckdb::LocalSourceState&, const duckdb::OperatorPartitionInfo&) const {
  // One thread gives all rows in order: one batch.
  return duckdb::OperatorPartitionData(0);
}

duckdb::SourceResultType PhysicalTap::GetDataInternal(duckdb::ExecutionContext&,
                                                      duckdb::DataChunk& chunk,
                                                      duckdb::OperatorSourceInput& input) const {
  auto& state = static_cast<TapSource&>(input.global_state);
  if (!state.is_started) {
    Rows().InitializeScan(state.scan);
    state.is_started = true;
  }
  Rows().Scan(state.scan, chunk);
  return chunk.size() == 0 ? duckdb::SourceResultType::FINISHED
                           : duckdb::SourceResultType::HAVE_MORE_OUTPUT;
}

}  // namespace margay::integration
