#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "execute/kernel_run.hpp"

namespace margay::execute {

//! A run whose sink is rows. Every unit of work has its own region in the output buffers, so that
//! the result keeps the table's order; after a batch the filled parts of the regions are copied
//! together into host memory that the allocator of the pool counts.
class RowsRun : public KernelRun {
 public:
  RowsRun(const std::shared_ptr<const CompiledPart>& part, RunOptions options);

 protected:
  void BindSink(device::Kernel& kernel, uint32_t argument, const Batch& batch) override;
  void TakeBatch(device::Queue& queue, const Batch& batch) override;
  std::optional<ResultBatch> NextResult() override;
  size_t LargestBatch() const override;
  //! All runs over one image cut it alike, so that SplitPart can put them side by side.
  bool BatchesAdapt() const override { return false; }

 private:
  struct OutputBuffers {
    device::Buffer values;
    device::Buffer nulls;
  };

  //! A string of a text column, as the kernel gives it: in the bytes of its segment.
  struct TextPlace {
    uint32_t begin;
    uint32_t end;
  };

  //! Finds the strings of a batch's rows: where the image lies, if the host can read it, else in a
  //! copy that the device gathers. They live as long as what is returned.
  std::shared_ptr<const void> FetchTexts(device::Queue& queue, const Batch& batch,
                                         const std::vector<uint32_t>& counts, size_t column,
                                         const std::vector<TextPlace>& places,
                                         std::string_view* texts) const;
  //! Copies strings of a text extent, from begins[i] on, one after the other; ends[i] is where
  //! string i ends in the copy.
  void GatherTexts(device::Queue& queue, const memory::ExtentPin& pin,
                   const std::vector<uint64_t>& begins, const std::vector<uint64_t>& ends,
                   std::byte* destination) const;

  const std::vector<compile::RowOutput>& outputs_;
  device::Buffer counts_;
  std::vector<OutputBuffers> buffers_;
  memory::ScratchReservation reservation_;
  size_t reserved_units_ = 0;
  std::deque<ResultBatch> batches_;
};

}  // namespace margay::execute
