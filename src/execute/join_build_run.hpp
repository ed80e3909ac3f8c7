#pragma once

#include "execute/sink_run.hpp"

namespace margay::execute {

//! A join table. A numbered one that gets full is replaced by a larger one. One that depends on
//! columns of its table alone is cached with the table's image, or found there.
class JoinBuildRun : public GrowingSinkRun {
 public:
  JoinBuildRun(RunContext& context, size_t number);

  void Run(PipelineRun& pipeline) override;
  void Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) override;
  //! A table that can get full is replaced then.
  bool NeedsReport() const override;

 protected:
  void Create() override;
  void GrowTable() override { entries_ *= kGrowth; }

 private:
  //! Finds the table of a plain build side, or fills it and keeps it.
  void RunShared(PipelineRun& pipeline);
  //! Fills a partitioned table, once its `entries` entries have their slots.
  void FillPartitions(PipelineRun& pipeline, uint64_t entries);

  const optimize::JoinBuildSink& sink_;
  const optimize::JoinTable& table_;
  uint64_t entries_ = 0;  //!< that the table has room for
  bool is_resumable_ = false;
};

}  // namespace margay::execute
