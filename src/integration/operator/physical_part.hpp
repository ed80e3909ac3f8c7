#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "duckdb/execution/physical_operator.hpp"
#include "integration/capture/captured_part.hpp"
#include "integration/operator/placement.hpp"
#include "schedule/attempts.hpp"

namespace margay::integration {

class PartSourceState;
class PhysicalTap;

//! A part of a query that runs on a device or, through its child, in DuckDB.
//!
//! Where it runs is decided anew by every execution, in BuildPipelines: a prepared statement may be
//! executed under changing settings, data and memory. On the device the part is the source of its
//! pipeline. Should the device fail after that, the source runs the child through pipelines that
//! were made ready beforehand, with itself as their sink (as DuckDB's recursive CTEs do), and gives
//! the rows they collect.
//!
//! Where DuckDB runs subtrees of the child for the device (see physical_tap.hpp), their pipelines
//! come first.
//!
//! The child is what EXPLAIN shows below the part where DuckDB answers. While profiling, it is
//! always in the tree, with no rows where the device answered: DuckDB's profiler needs to know
//! beforehand every operator that may run.
class PhysicalPart : public duckdb::PhysicalOperator {
 public:
  //! `taps`, those of the captured part, are operators of `fallback`.
  PhysicalPart(duckdb::PhysicalPlan& plan, duckdb::ClientContext& context, CapturedPart part,
               std::vector<PhysicalTap*> taps, duckdb::PhysicalOperator& fallback);
  ~PhysicalPart() override;

  std::string GetName() const override { return "MARGAY"; }
  duckdb::InsertionOrderPreservingMap<std::string> ParamsToString() const override;
  duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> GetChildren() const override;

  bool IsSource() const override { return true; }
  duckdb::OrderPreservationType SourceOrder() const override;
  duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(
      duckdb::ClientContext& context) const override;
  //! As the child does, since DuckDB plans the operators above for either.
  bool SupportsPartitioning(const duckdb::OperatorPartitionInfo& info) const override;
  duckdb::OperatorPartitionData GetPartitionData(
      duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
      duckdb::GlobalSourceState& global, duckdb::LocalSourceState& local,
      const duckdb::OperatorPartitionInfo& info) const override;
  duckdb::ProgressData GetProgress(duckdb::ClientContext& context,
                                   duckdb::GlobalSourceState& state) const override;
  duckdb::InsertionOrderPreservingMap<std::string> ExtraSourceParams(
      duckdb::GlobalSourceState& global, duckdb::LocalSourceState& local) const override;

  //! A sink only for the rows of its own child, after the device has failed.
  bool IsSink() const override { return true; }
  bool ParallelSink() const override { return !HasOrder(); }
  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(
      duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(
      duckdb::ExecutionContext& context) const override;
  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override;
  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext& context,
                                        duckdb::OperatorSinkCombineInput& input) const override;

  //! Those of the child: what DuckDB plans above must suit both.
  duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> GetSources() const override;
  void BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) override;

 protected:
  duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext& context,
                                           duckdb::DataChunk& chunk,
                                           duckdb::OperatorSourceInput& input) const override;

 private:
  //! Whether rows come in the order of tables, as they do from DuckDB's filters, projections and
  //! unions.
  bool KeepsOrder() const { return plan::KeepsOrderOfScans(*part_->plan); }
  bool HasOrder() const { return part_->is_sorted || KeepsOrder(); }

  //! The decision of the running execution, or what would be decided now. Never throws.
  Placement CurrentPlacement() const;
  //! The physical program, or why there is none. Never throws.
  std::string CurrentProgram(const Placement& placement) const;

  //! Runs the part on the device up to its first rows. False: the child must answer.
  bool StartOnDevice(duckdb::ClientContext& context, PartSourceState& state) const;
  //! Lets go of what an attempt holds.
  static void ReleaseRun(PartSourceState& state);
  //! One attempt of it, once it is admitted. Throws what goes wrong.
  void Attempt(duckdb::ClientContext& context, PartSourceState& state,
               schedule::Admission::Kind kind) const;
  void RunOnDevice(duckdb::ClientContext& context, PartSourceState& state) const;
  //! Reads the taps of a part that has some, and generates its kernel.
  void PrepareTaps(duckdb::ClientContext& context, PartSourceState& state,
                   const ReadControl& control) const;
  //! Drops the rows of the taps, which nobody needs any more.
  void DropTaps() const;
  //! In force mode: an error where the operators above would get too many rows.
  void CheckTails(const PartSourceState& state) const;
  void StartFallback(duckdb::ExecutionContext& context, PartSourceState& state) const;
  duckdb::SourceResultType NextFromDevice(duckdb::DataChunk& chunk, PartSourceState& state) const;
  duckdb::SourceResultType NextFromFallback(duckdb::DataChunk& chunk, PartSourceState& state) const;

  const std::shared_ptr<const CapturedPart> part_;
  const duckdb::weak_ptr<duckdb::ClientContext> context_;
  const std::vector<PhysicalTap*> taps_;
  duckdb::PhysicalOperator& fallback_;

  mutable std::mutex mutex_;
  //! Guarded by mutex_: what the last BuildPipelines decided, and in which query. The source state
  //! takes its copies and part away.
  mutable Placement placement_;
  duckdb::idx_t placement_query_ = 0;
  //! Ready to run the child, where the device was chosen.
  duckdb::shared_ptr<duckdb::MetaPipeline> fallback_pipelines_;
};

}  // namespace margay::integration
