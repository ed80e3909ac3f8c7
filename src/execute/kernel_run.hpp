#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "execute/column_pins.hpp"
#include "execute/compiled_part.hpp"
#include "execute/execution.hpp"
#include "execute/run_tables.hpp"
#include "execute/text_fetch.hpp"
#include "execute/work_list.hpp"

namespace margay::execute {

//! Replaces `buffer`, content included, by one of at least `bytes`, unless it is large enough.
void Grow(device::Buffer& buffer, device::Device& device, size_t bytes, device::Access access);

//! A table that was full is replaced by one this many times as large.
inline constexpr uint64_t kGrowth = 4;

//! A table that a kernel fills has no room for what is to come.
class TableFull : public std::runtime_error {
 public:
  TableFull() : std::runtime_error("a table is full") {}
};

//! What every run of a kernel does: pins the columns, cuts the work into batches, launches the
//! kernel for each, checks for faults and interrupts in between, and keeps the statistics.
//! Subclasses own the sink: its buffers, and what happens to them after a batch. The run of the
//! result's kernel runs those of the build sides first.
class KernelRun : public Run {
 public:
  //! A run of the part's result. Columns of all of its kernels that can't be brought back are held
  //! until the run has its result.
  KernelRun(const std::shared_ptr<const CompiledPart>& part, const RunOptions& options);
  //! A run of one of its kernels, with the tables of the whole run.
  KernelRun(std::shared_ptr<const CompiledPart> part, const compile::GeneratedKernel& kernel,
            RunOptions options, std::shared_ptr<RunTables> tables);

  std::optional<ResultBatch> Next() override;
  //! In place of Next, where the part's result is kept on the device for the rest of an execution.
  std::shared_ptr<const KeptTable> Keep(Execution& execution);
  const RunStatistics& Statistics() const override { return statistics_; }
  double Progress() const override { return progress_.load(std::memory_order_relaxed); }

 protected:
  //! One launch: `units` units of work for `work_groups` work-groups.
  struct Batch {
    size_t segments = 0;
    const size_t* segment_numbers = nullptr;
    uint32_t units = 0;
    uint32_t work_groups = 0;
    bool is_whole = false;  //!< there is no other batch
  };

  //! Makes sure that the sink's buffers are large enough for `batch` and sets the kernel's
  //! arguments from `argument` on.
  virtual void BindSink(device::Kernel& kernel, uint32_t argument, const Batch& batch) = 0;
  //! Takes what a launch has put into the sink's buffers. A resumable kernel may need several
  //! launches for a batch.
  virtual void TakeBatch(device::Queue& queue, const Batch& batch) = 0;
  //! Gives what is left of the result, after all batches.
  virtual void Finish() {}
  //! The same for a result that is kept.
  virtual std::shared_ptr<const KeptTable> FinishKept();
  //! Lets go of what the sink has on the device: all of the result has been given.
  virtual void ReleaseSink() {}
  //! Gives rows of the result. None is handed on before the kernel has run to its end.
  void Give(ResultBatch batch) { results_.push_back(std::move(batch)); }
  //! Most segments of a batch, whatever the time it takes.
  virtual size_t LargestBatch() const = 0;
  //! Whether batches may be smaller, by the time that earlier ones took.
  virtual bool BatchesAdapt() const { return true; }
  //! Whether the run can't go on before the host knows what a launch reports.
  virtual bool NeedsReport() const { return true; }
  //! Puts the work into another order than that of the table.
  virtual void Arrange(WorkList&) const {}
  //! How many of the first `count` of these segments are still of use. None: neither are those
  //! that follow in their extent.
  virtual size_t UsefulSegments(const size_t*, size_t count) const { return count; }
  //! Most work-groups of a launch, whatever the device could run.
  virtual uint32_t MostWorkGroups() const { return UINT32_MAX; }

  //! Runs the kernel over all of its table. Throws TableFull.
  virtual void RunAll();
  //! Runs `create`, which makes an empty table, and the kernel over all of its table; where that
  //! table gets full, all of it again after `grow`.
  template <typename Create, typename Grow>
  void RunWhileFull(const Create& create, const Grow& grow) {
    const RunStatistics before = statistics_;
    for (;;) {
      try {
        create();
        KernelRun::RunAll();
        return;
      } catch (const TableFull&) {
        statistics_.ResetRows(before);
        statistics_.bytes_touched = before.bytes_touched;
        grow();
      }
    }
  }

  //! Throws Interrupted where the caller wants that.
  void ThrowIfInterrupted() const {
    if (options_.interrupted())
      throw Interrupted();
  }

  const compile::GeneratedKernel& Kernel() const { return kernel_; }
  JoinBuffers& Joins() const { return tables_->joins; }
  //! Says between which keys those of a join table are.
  void SetKeyRange(const compile::JoinTable& table, const KeyRange& keys) const {
    tables_->key_ranges[table.number] = keys;
  }
  //! The result that is scanned as `table`; null for an image.
  const KeptTable* Kept(size_t table) const { return tables_->kept[table].get(); }
  const CompiledPart& GetPart() const { return *part_; }
  //! That of the execution: commands run in their order, whichever run they come from.
  device::Queue& Queue() const { return *tables_->queue; }
  //! Rows of a table, once it is there.
  uint64_t RowsOf(size_t table) const;
  //! Work-groups for `units` units of work.
  uint32_t WorkGroups(uint32_t units) const;
  //! Adds launches of a kernel of this run to the statistics.
  void CountLaunches(const std::string& name, uint64_t launches, double milliseconds);
  //! Leaves a launch to itself until Settle. `report` is there once `end` is behind; null: none.
  void Defer(const std::string& name, device::Event end, std::unique_ptr<KernelReport> report) {
    tables_->pending.push_back({name, std::move(end), std::move(report)});
  }
  //! Counts the launches that were deferred, once the queue's commands are done, and throws what
  //! they reported.
  void Settle();
  //! The same after waiting for these commands.
  void SettleAll();
  //! Runs `transfer` and adds its time to the statistics.
  template <typename Transfer>
  void Timed(const Transfer& transfer) {
    const auto start = std::chrono::steady_clock::now();
    transfer();
    statistics_.transfer_milliseconds +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  //! All extents of these columns; of one that refers to text, those of that text.
  std::vector<storage::PinnedExtents> PinWhole(const std::vector<compile::InputColumn>& columns);
  //! Where the bytes of a text column's segment lie, for those who fetch its strings.
  TextFetch::PinText TextsOf(const compile::InputColumn& column) {
    return [this, image = column.TextImage()](size_t extent) {
      return column_pins_.PinText(*image, extent);
    };
  }
  //! Sets the arguments of a column of which all extents are pinned; returns the number of the next
  //! argument. `no_rows` stands for what a table without rows lacks.
  uint32_t BindJoined(device::Kernel& kernel, uint32_t argument, const compile::InputColumn& column,
                      const storage::PinnedExtents& pins, const device::Buffer& no_rows) const;
  //! A buffer with these values, which other executions of the part are likely to need too.
  template <typename Value>
  std::shared_ptr<const device::Buffer> Constant(const std::vector<Value>& values) {
    std::shared_ptr<const device::Buffer> buffer;
    Timed([&] { buffer = part_->Constants().Get(std::as_bytes(std::span(values))); });
    return buffer;
  }
  //! A buffer with these values for this execution.
  template <typename Value>
  device::Buffer Upload(const std::vector<Value>& values) {
    device::Buffer buffer;
    const size_t bytes = values.size() * sizeof(Value);
    Grow(buffer, part_->GetDevice(), bytes, device::Access::ReadOnly);
    if (bytes != 0)
      Timed([&] { Queue().Write(buffer, 0, values.data(), bytes); });
    return buffer;
  }
  //! The strings of the dictionaries of `columns`, near the device.
  std::vector<memory::ExtentPin> PinStrings(const std::vector<compile::InputColumn>& columns) const;
  //! Throws what a kernel reported in `faults`.
  static void ThrowFaults(int32_t faults);
  //! Groups that have come into a shared table since RunAll began.
  uint32_t Groups() const { return report_.groups; }

  RunStatistics statistics_;

 private:
  //! Keeps the columns of `kernel` that can't be brought back.
  void Hold(const compile::GeneratedKernel& kernel);
  //! Pins the columns whose rows are found by their numbers, and those that are whole.
  void PinJoined();
  //! Pins what belongs to the data extent `extent` of the columns that are scanned.
  void PinScanned(size_t extent);
  //! Lets go of all columns, once the commands that read them are done.
  void Unpin();
  //! Runs all kernels of the part: those of inner parts and build sides, then the result's.
  void RunKernels(Execution& execution);
  //! Runs the parts whose results this one scans.
  void RunInners(Execution& execution);
  //! Adds the work of a run before this one.
  void AddStatistics(const RunStatistics& statistics);
  //! Sets the arguments of a column of a kept table; see BindJoined.
  uint32_t BindKept(device::Kernel& kernel, uint32_t argument, const compile::InputColumn& column,
                    const storage::PinnedExtents& pins, const device::Buffer& no_rows) const;
  //! Sets the arguments of the bytes of text whose rows are found by their numbers.
  static uint32_t BindTexts(device::Kernel& kernel, uint32_t argument,
                            const storage::PinnedExtents& pins, const device::Buffer& no_rows);
  //! How many of the device the run may use.
  uint32_t ComputeUnits() const;
  //! Runs the kernels of the build sides. Returns the milliseconds of those that made tables which
  //! are kept for other runs.
  double RunBuilds();
  //! How many of the first `count` of these segments have their bytes in the same text extents.
  size_t SegmentsInTexts(const size_t* segments, size_t count) const;
  void RunExtent(device::Queue& queue, device::Kernel& kernel, const WorkList& work,
                 const ExtentWork& extent);
  //! Sets the argument of the list of segments of a batch. One of a batch that is whole is the same
  //! in most executions; others depend on the times that launches took.
  void BindSegments(device::Kernel& kernel, const std::vector<int64_t>& descriptors, bool is_whole);
  //! Sets the arguments for the extents that hold `segment`, which are pinned; returns the number
  //! of the next one.
  uint32_t BindColumns(device::Kernel& kernel, size_t segment) const;
  //! Launches the kernel once; returns whether it is done with the batch.
  bool RunBatch(device::Queue& queue, device::Kernel& kernel, const Batch& batch);
  //! False only if no row of the segment has a match in a join that needs one.
  bool MayJoin(size_t segment) const;
  //! Counts what a batch reads.
  void CountWork(const WorkList& work, const Batch& batch);

  const std::shared_ptr<const CompiledPart> part_;
  const compile::GeneratedKernel& kernel_;
  const RunOptions options_;
  const std::shared_ptr<RunTables> tables_;
  const std::string name_;                                       //!< of the kernel, for people
  std::vector<std::vector<std::unique_ptr<KernelRun>>> inners_;  //!< by table; none for images
  std::vector<std::unique_ptr<KernelRun>> builds_;  //!< whose launches may be under way
  ColumnPins column_pins_;
  std::optional<size_t> scanned_extent_;             //!< whose pins there are
  std::vector<storage::PinnedExtents> pins_;         //!< by column of the kernel
  std::vector<storage::PinnedExtents> joined_pins_;  //!< by joined column
  std::vector<memory::ExtentPin> strings_;           //!< by string column of the kernel
  bool is_done_ = false;
  std::deque<ResultBatch> results_;  //!< not handed on yet
  std::atomic<double> progress_{0};
  size_t kernels_before_ = 0;  //!< in the statistics: those of inner parts and build sides

  KernelReport report_;
  std::shared_ptr<const device::Buffer> parameters_, lookups_;
  std::shared_ptr<const device::Buffer> whole_segments_;  //!< of a batch that is whole
  device::Buffer segments_, faults_, resume_;
  device::Buffer no_rows_;     //!< stands for a column of a table without rows
  size_t batch_segments_ = 0;  //!< that the next batch may take, from the times of earlier ones
};

}  // namespace margay::execute
