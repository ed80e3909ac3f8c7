#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/argument_binder.hpp"
#include "execute/run_context.hpp"
#include "execute/text_fetch.hpp"
#include "execute/work_list.hpp"

namespace margay::execute {

class SinkRun;

//! One launch: `units` units of work for `work_groups` work-groups.
struct Batch {
  size_t segments = 0;
  const size_t* segment_numbers = nullptr;
  uint32_t units = 0;
  uint32_t work_groups = 0;
  bool is_whole = false;  //!< there is no other batch
};

//! Runs one pipeline: pins the columns, cuts the work into batches, launches the kernel for each,
//! checks for faults and interrupts in between. Its sink has the buffers that rows end in. Can run
//! several times. Not thread-safe.
class PipelineRun {
 public:
  //! Both outlive the object.
  PipelineRun(RunContext& context, size_t pipeline);
  PipelineRun(const PipelineRun&) = delete;
  PipelineRun& operator=(const PipelineRun&) = delete;

  //! Launches that are counted from here on are the pipeline's.
  void Begin() { first_kernel_ = context_.Statistics().kernels.size(); }
  //! Runs the kernel over all of its table, into `sink`. Throws TableFull.
  void Run(SinkRun& sink);
  //! Lets go of all columns, once the commands that read them are done.
  void Unpin();
  //! Share of the work done, 0 to 1; may be called from any thread.
  double Progress() const { return progress_.load(std::memory_order_relaxed); }

  size_t Number() const { return number_; }
  RunContext& Context() const { return context_; }
  const optimize::LoweredPipeline& Lowered() const { return lowered_; }
  const compile::KernelSource& Kernel() const { return kernel_; }
  //! Groups that have come into a shared table since Run began.
  uint32_t Groups() const { return report_.groups; }
  //! Adds launches of a kernel of this pipeline to the statistics.
  void CountLaunches(const std::string& name, uint64_t launches, double milliseconds) {
    context_.CountLaunches(name, first_kernel_, launches, milliseconds);
  }
  //! Leaves a launch of this pipeline to itself: see RunContext::Defer.
  void Defer(const std::string& name, device::Event end, std::unique_ptr<KernelReport> report) {
    context_.Defer(name, first_kernel_, std::move(end), std::move(report));
  }
  //! Work-groups for `units` units of work; at most `most`.
  uint32_t WorkGroups(uint32_t units, uint32_t most) const;

  //! All extents of these columns; of one that refers to text, those of that text.
  std::vector<storage::PinnedExtents> PinWhole(
      const std::vector<optimize::InputColumn>& columns) const;
  //! The strings of the dictionaries of columns of the program, near the device.
  std::vector<memory::ExtentPin> PinStrings(const std::vector<size_t>& columns) const;
  //! Sets the arguments of a column of which all extents are pinned. `local` is the number of the
  //! column in the kernel.
  void BindGathered(ArgumentBinder& binder, const optimize::InputColumn& column, size_t local,
                    const storage::PinnedExtents& pins) const;
  //! Where the bytes of a text column's segment lie, for those who fetch its strings.
  TextFetch::PinText TextsOf(const optimize::InputColumn& column) const;

 private:
  //! Pins the columns whose rows are found by their numbers, and those that are whole.
  void PinJoined();
  //! Pins what belongs to the data extent `extent` of the columns that are scanned.
  void PinScanned(size_t extent);
  //! Sets the arguments of a column of a materialised table; see BindGathered.
  void BindMaterialised(ArgumentBinder& binder, const optimize::InputColumn& column, size_t local,
                        const storage::PinnedExtents& pins) const;
  //! Sets the arguments of the bytes of text whose rows are found by their numbers.
  void BindTexts(ArgumentBinder& binder, size_t local, const storage::PinnedExtents& pins) const;
  //! How many of the first `count` of these segments have their bytes in the same text extents.
  size_t SegmentsInTexts(const size_t* segments, size_t count) const;
  void RunExtent(device::Kernel& kernel, SinkRun& sink, const WorkList& work,
                 const ExtentWork& extent);
  //! Sets the argument of the list of segments of a batch. One of a batch that is whole is the same
  //! in most executions; others depend on the times that launches took.
  void BindSegments(ArgumentBinder& binder, const std::vector<int64_t>& descriptors, bool is_whole);
  //! Sets the arguments of columns for the extents that hold `segment`, which are pinned.
  void BindColumns(ArgumentBinder& binder, size_t segment) const;
  //! Launches the kernel once; returns whether it is done with the batch.
  bool RunBatch(device::Kernel& kernel, SinkRun& sink, const Batch& batch);
  //! False only if no row of the segment has a match in a join that needs one.
  bool MayJoin(size_t segment) const;
  //! Counts what a batch reads.
  void CountWork(const WorkList& work, const Batch& batch);
  size_t Local(const optimize::InputColumn& column) const {
    return lowered_.numbers.ColumnOf(column.number);
  }

  RunContext& context_;
  const size_t number_;
  const optimize::LoweredPipeline& lowered_;
  const compile::KernelSource& kernel_;
  const std::string name_;   //!< of the kernel, for people
  size_t first_kernel_ = 0;  //!< in the statistics
  const std::vector<size_t> string_columns_;
  std::optional<size_t> scanned_extent_;             //!< whose pins there are
  std::vector<storage::PinnedExtents> pins_;         //!< by column of the scan
  std::vector<storage::PinnedExtents> joined_pins_;  //!< by joined column
  std::vector<memory::ExtentPin> strings_;           //!< by string column
  std::atomic<double> progress_{0};

  KernelReport report_;
  std::shared_ptr<const device::Buffer> parameters_, lookups_;
  std::shared_ptr<const device::Buffer> whole_segments_;  //!< of a batch that is whole
  device::Buffer segments_, faults_, resume_;
  size_t batch_segments_ = 0;  //!< that the next batch may take, from the times of earlier ones
};

}  // namespace margay::execute
