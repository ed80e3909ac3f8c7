#pragma once

#include <vector>

#include "execute/sink_run.hpp"
#include "memory/scratch_reservation.hpp"

namespace margay::execute {

//! A table of few possible groups. Every launch leaves one partial table per work-group; the host
//! folds them together, sums in 128 bits.
class AggregateRun : public SinkRun {
 public:
  AggregateRun(RunContext& context, size_t number);

  void Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) override;
  void ReadBack(const Batch& batch) override;
  void TakeBatch(PipelineRun& pipeline, const Batch& batch) override;
  void Finish() override;
  size_t LargestBatch() const override;
  uint32_t MostWorkGroups() const override;

 private:
  //! Partial tables of a launch.
  uint32_t Tables(const Batch& batch) const;
  void Merge(const int64_t* partial);

  const optimize::GroupSink& sink_;
  const optimize::AggregateLayout& layout_;
  const bool shares_tables_;
  device::Buffer partials_;
  memory::ScratchReservation reservation_;
  std::vector<int64_t> initial_words_;  //!< of a shared table
  std::vector<int64_t> partial_words_;  //!< of one launch
  std::vector<int64_t> words_;          //!< merged, groups x words; all but sums
  std::vector<Int128> sums_;            //!< merged, groups x accumulators; sums of integers
};

}  // namespace margay::execute
