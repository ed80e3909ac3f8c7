#pragma once

#include <string_view>
#include <vector>

#include "execute/kernel_run.hpp"

namespace margay::execute {

//! Segments of a batch of rows: 2 M rows, of which an 8-byte output takes 16 MiB.
inline constexpr size_t kSegmentsPerRowsBatch = 32;

//! A run whose sink is rows. Every unit of work has its own region in the output buffers, so that
//! the result keeps the table's order; after a batch the filled parts of the regions are copied
//! together into host memory that the allocator of the pool counts.
class RowsRun : public KernelRun {
 public:
  RowsRun(const std::shared_ptr<const CompiledPart>& part, RunOptions options);

 protected:
  void BindSink(device::Kernel& kernel, uint32_t argument, const Batch& batch) override;
  void TakeBatch(device::Queue& queue, const Batch& batch) override;
  size_t LargestBatch() const override;
  //! All runs over one image cut it alike, so that SplitPart can put them side by side.
  bool BatchesAdapt() const override { return false; }
  //! Takes the rows of a batch.
  virtual void TakeRows(ResultBatch batch) { Give(std::move(batch)); }

 private:
  struct OutputBuffers {
    device::Buffer values;
    device::Buffer nulls;
  };

  const std::vector<compile::RowOutput>& outputs_;
  device::Buffer counts_;
  std::vector<OutputBuffers> buffers_;
  memory::ScratchReservation reservation_;
  size_t reserved_units_ = 0;
};

}  // namespace margay::execute
