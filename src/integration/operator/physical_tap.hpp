#pragma once

#include <string>

#include "duckdb/execution/physical_operator.hpp"

namespace duckdb {
class ColumnDataCollection;
}  // namespace duckdb

namespace margay::integration {

//! The border below a part where rows come from a subtree that DuckDB runs: the child.
//!
//! The part above says in each execution what it is. Where DuckDB answers the part, too, the tap is
//! not there at all: rows pass from the child to the operators above it. Where a device does, it is
//! the sink of the child, and keeps all rows in their order, for the device; should the device
//! fail, it is the source of these rows for the operators above, so that the child, which may give
//! other rows each time, runs once.
class PhysicalTap : public duckdb::PhysicalOperator {
 public:
  PhysicalTap(duckdb::PhysicalPlan& plan, duckdb::ClientContext& context, std::string reason,
              duckdb::PhysicalOperator& child);

  std::string GetName() const override { return "MARGAY_TAP"; }
  duckdb::InsertionOrderPreservingMap<std::string> ParamsToString() const override;

  //! From here on rows pass.
  void Pass();
  //! From here on it collects: adds the pipelines of the child, before which `current` can't start.
  void Collect(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline);
  //! What was collected, once the pipelines of the child have ended.
  const duckdb::ColumnDataCollection& Rows() const;
  //! Drops what was collected.
  void DropRows();

  bool IsSource() const override { return collects_; }
  duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(
      duckdb::ClientContext& context) const override;
  bool SupportsPartitioning(const duckdb::OperatorPartitionInfo& info) const override;
  duckdb::OperatorPartitionData GetPartitionData(
      duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
      duckdb::GlobalSourceState& global, duckdb::LocalSourceState& local,
      const duckdb::OperatorPartitionInfo& info) const override;

  bool IsSink() const override { return true; }
  bool ParallelSink() const override { return !keeps_order_ || has_batches_; }
  bool SinkOrderDependent() const override { return keeps_order_; }
  duckdb::OperatorPartitionInfo RequiredPartitionInfo() const override;
  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(
      duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(
      duckdb::ExecutionContext& context) const override;
  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override;
  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext& context,
                                        duckdb::OperatorSinkCombineInput& input) const override;
  duckdb::SinkFinalizeType Finalize(duckdb::Pipeline& pipeline, duckdb::Event& event,
                                    duckdb::ClientContext& context,
                                    duckdb::OperatorSinkFinalizeInput& input) const override;

  //! Those of the child: DuckDB plans the operators above for rows that pass.
  duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> GetSources() const override;
  void BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) override;

 protected:
  duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext& context,
                                           duckdb::DataChunk& chunk,
                                           duckdb::OperatorSourceInput& input) const override;

 private:
  const std::string reason_;
  const bool keeps_order_;
  //! The order is that of numbers that the child's sources give to batches of rows.
  const bool has_batches_;
  bool collects_ = false;
};

}  // namespace margay::integration
