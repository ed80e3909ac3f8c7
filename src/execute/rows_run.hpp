#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "execute/region_rows.hpp"
#include "execute/sink_run.hpp"
#include "memory/scratch_reservation.hpp"

namespace margay::execute {

//! Segments of a batch of rows: 2 M rows, of which an 8-byte output takes 16 MiB.
inline constexpr size_t kSegmentsPerRowsBatch = 32;

//! What the sinks share that pipelines give rows to. Every unit of work has its own region in the
//! output buffers.
class RegionsRun : public SinkRun {
 public:
  RegionsRun(RunContext& context, size_t number);

  void Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) override;
  void ReadBack(const Batch& batch) override;
  size_t LargestBatch() const override { return kSegmentsPerRowsBatch; }
  //! All runs over one image cut it alike, so that SplitPart can put them side by side, unless
  //! joins multiply the rows, whose parts are never split.
  bool BatchesAdapt() const override { return sink_.multiplies; }
  void Finish() override;

 protected:
  struct OutputBuffers {
    device::Buffer values;
    device::Buffer nulls;
  };

  //! What a launch left in the output buffers, after it was read back. Once per launch.
  Regions FilledRegions(const PipelineRun& pipeline) {
    return {counts_, std::move(unit_counts_), pipeline.Kernel().unit_rows};
  }
  //! Per output.
  const std::vector<OutputBuffers>& Outputs() const { return buffers_; }

  const optimize::RowSink& sink_;

 private:
  device::Buffer counts_;
  std::vector<uint32_t> unit_counts_;  //!< the same, of the last launch
  std::vector<OutputBuffers> buffers_;
  memory::ScratchReservation reservation_;
  size_t reserved_units_ = 0;
};

//! Rows for the host: the result keeps the table's order; after a launch the filled parts of the
//! regions are copied together into host memory that the allocator of the pool counts. Where joins
//! make more rows than a region holds, the batch is launched again, and the result is in no order.
class RowsRun : public RegionsRun {
 public:
  using RegionsRun::RegionsRun;

  void TakeBatch(PipelineRun& pipeline, const Batch& batch) override;

 protected:
  //! Takes the rows of a launch. Strings of text columns are yet to be fetched: PendingText.
  virtual void TakeRows(PipelineRun& pipeline, ResultBatch batch);
  //! Bytes of the values of each column of such rows.
  std::vector<size_t> Widths() const;
  //! Fetches the strings of rows that TakeRows took, of the columns that `batch` has.
  void FetchTexts(const PipelineRun& pipeline, ResultBatch& batch);
  //! Sets texts[i] to the string pending[i] of an output. They live as long as what is returned.
  std::shared_ptr<const void> FetchTexts(const PipelineRun& pipeline, size_t output,
                                         std::span<const PendingText> pending,
                                         std::string_view* texts);

 private:
  //! Sets `pending` to the strings of an output, whose `values` are `counts` rows by unit.
  void FindTexts(const PipelineRun& pipeline, size_t output, const std::byte* values,
                 const std::vector<uint32_t>& counts, const Batch& batch,
                 PendingText* pending) const;
};

}  // namespace margay::execute
