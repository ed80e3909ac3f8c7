#pragma once

#include <memory>
#include <vector>

#include "execute/pipeline_run.hpp"

namespace margay::execute {

//! A table that was full is replaced by one this many times as large.
inline constexpr uint64_t kGrowth = 4;

//! A sink in one execution: its buffers, and what happens to them when a pipeline that feeds it has
//! run. Not thread-safe.
class SinkRun {
 public:
  //! Sink `number` of the program. `context` outlives the object.
  SinkRun(RunContext& context, size_t number) : context_(context), number_(number) {}
  virtual ~SinkRun() = default;
  SinkRun(const SinkRun&) = delete;
  SinkRun& operator=(const SinkRun&) = delete;

  //! Runs a pipeline that feeds the sink, behind those that did before.
  virtual void Run(PipelineRun& pipeline) { pipeline.Run(*this); }
  //! Makes sure that the buffers are large enough for `batch` and sets the kernel's arguments.
  virtual void Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) = 0;
  //! A launch is under way: begins to read what TakeBatch looks at, so that it is there together
  //! with the report.
  virtual void ReadBack(const Batch& /*batch*/) {}
  //! Takes what a launch has put into the buffers. A resumable kernel may need several launches for
  //! a batch.
  virtual void TakeBatch(PipelineRun& /*pipeline*/, const Batch& /*batch*/) {}
  //! Whether Run() or Finish() may run pipelines again that have run: what they read must stay.
  virtual bool RunsPipelinesAgain() const { return false; }
  //! All pipelines have run: gives the result to the host, or, where it stays on the device, to the
  //! context.
  virtual void Finish() {}

  //! Most segments of a batch, whatever the time it takes.
  virtual size_t LargestBatch() const { return SIZE_MAX; }
  //! Whether batches may be smaller, by the time that earlier ones took.
  virtual bool BatchesAdapt() const { return true; }
  //! Whether the run can't go on before the host knows what a launch reports.
  virtual bool NeedsReport() const { return true; }
  //! Puts the work into another order than that of the table.
  virtual void Arrange(WorkList& /*work*/) const {}
  //! How many of the first `count` of these segments are still of use. None: neither are those
  //! that follow in their extent.
  virtual size_t UsefulSegments(const size_t* /*segments*/, size_t count) const { return count; }
  //! Most work-groups of a launch, whatever the device could run.
  virtual uint32_t MostWorkGroups() const { return UINT32_MAX; }

  //! The run of sink `number` of the program.
  static std::unique_ptr<SinkRun> Make(RunContext& context, size_t number);

 protected:
  const optimize::ProgramSink& Sink() const { return context_.Program().sinks[number_]; }
  //! What the first pipeline that feeds it has for its sink.
  template <typename Kind>
  const Kind& As() const {
    return std::get<Kind>(context_.Program().pipelines[Sink().pipelines[0]].lowered->sink);
  }
  //! Whether the result stays on the device.
  bool IsMaterialised() const { return !Sink().columns.empty(); }

  RunContext& context_;
  const size_t number_;
};

//! A sink whose table may get full: it is replaced by a larger one then, and all rows are put into
//! that, those of pipelines that ran before included.
class GrowingSinkRun : public SinkRun {
 public:
  using SinkRun::SinkRun;

  void Run(PipelineRun& pipeline) override;
  bool RunsPipelinesAgain() const override { return true; }

 protected:
  //! Makes an empty table.
  virtual void Create() = 0;
  //! Makes the next table larger.
  virtual void GrowTable() = 0;
  //! The pipelines that have run.
  const std::vector<PipelineRun*>& Pipelines() const { return pipelines_; }
  //! Runs a pipeline once more; its rows are counted already.
  void RunAgain(PipelineRun& pipeline);

 private:
  std::vector<PipelineRun*> pipelines_;
};

}  // namespace margay::execute
