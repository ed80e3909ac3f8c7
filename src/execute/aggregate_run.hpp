#pragma once

#include <vector>

#include "execute/kernel_run.hpp"

namespace margay::execute {

//! A run whose sink is a table of groups. Every launch leaves one partial table per work-group; the
//! host folds them together, sums in 128 bits.
class AggregateRun : public KernelRun {
 public:
  AggregateRun(const std::shared_ptr<const CompiledPart>& part, const RunOptions& options);

 protected:
  void BindSink(device::Kernel& kernel, uint32_t argument, const Batch& batch) override;
  void TakeBatch(device::Queue& queue, const Batch& batch) override;
  void Finish() override;
  std::shared_ptr<const KeptTable> FinishKept() override;
  size_t LargestBatch() const override;
  uint32_t MostWorkGroups() const override;

 private:
  //! Partial tables of a launch.
  uint32_t Tables(const Batch& batch) const;
  void Merge(const int64_t* partial);

  const compile::AggregateLayout& layout_;
  device::Buffer partials_;
  memory::ScratchReservation reservation_;
  std::vector<int64_t> initial_words_;  //!< of a shared table
  std::vector<int64_t> partial_words_;  //!< of one launch
  std::vector<int64_t> words_;          //!< merged, groups x words; all but sums
  std::vector<Int128> sums_;            //!< merged, groups x accumulators; sums of integers
};

}  // namespace margay::execute
