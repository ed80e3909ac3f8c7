#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "execute/pipeline_run.hpp"
#include "execute/program_part.hpp"
#include "execute/sink_run.hpp"

namespace margay::execute {

//! One execution of a program: runs its pipelines in their order, and lets go of what a sink has
//! left once nobody reads it any more. See Run.
class ProgramRun : public Run {
 public:
  ProgramRun(std::shared_ptr<const ProgramPart> part, RunOptions options);

  std::optional<ResultBatch> Next() override;
  const RunStatistics& Statistics() const override { return context_.Statistics(); }
  double Progress() const override;

 private:
  //! Runs all pipelines.
  void RunAll();
  //! Notes where the time since `start` went.
  void TakeTimes(std::chrono::steady_clock::time_point start);
  void RunPipeline(size_t number);
  //! Notes that a pipeline has run into its sink, and finishes the sink after the last one.
  void FinishPipeline(size_t number);
  //! A pipeline has read what it reads, for the last time.
  void CountReader(size_t pipeline);
  //! Lets go of what is not needed any more, as the commands that used it are done.
  void ReleaseFinished();

  const std::shared_ptr<const ProgramPart> part_;
  RunContext context_;
  const std::vector<size_t> queues_;  //!< by pipeline
  std::vector<size_t> sink_queues_;   //!< by sink
  std::vector<std::unique_ptr<PipelineRun>> pipelines_;
  std::vector<std::unique_ptr<SinkRun>> sinks_;  //!< of those that have been fed
  std::vector<size_t> readers_;                  //!< of sinks, that are yet to run
  std::vector<size_t> unread_sinks_;             //!< whose last reader has run
  std::atomic<size_t> done_{0};                  //!< pipelines
  bool is_done_ = false;
};

}  // namespace margay::execute
