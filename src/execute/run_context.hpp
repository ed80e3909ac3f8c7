#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "execute/column_pins.hpp"
#include "execute/join_buffers.hpp"
#include "execute/materialised_table.hpp"
#include "execute/part.hpp"
#include "execute/program_part.hpp"

namespace margay::execute {

//! Replaces `buffer`, content included, by one of at least `bytes`, unless it is large enough.
void Grow(device::Buffer& buffer, device::Device& device, size_t bytes, device::Access access);

//! What a kernel's argument `faults` holds.
struct KernelReport {
  int32_t faults = 0;
  uint32_t groups = 0;
};

//! What the runs of the pipelines of one execution share: the queues, what sinks have left for
//! others, and the statistics. Commands go to the queue of their pipeline, in the order in which
//! they need each other's results; the host waits only where it must know what they came to. Not
//! thread-safe.
class RunContext {
 public:
  //! Columns of all pipelines that can't be brought back are held until Release. Throws ImageLost.
  RunContext(const ProgramPart& part, RunOptions options);
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  const ProgramPart& Part() const { return part_; }
  const optimize::Program& Program() const { return part_.Program(); }
  const compile::KernelSource& KernelOf(size_t pipeline) const { return *kernels_[pipeline]; }
  device::Device& GetDevice() const { return part_.GetDevice(); }
  memory::ExtentPool& Pool() const { return part_.Pool(); }
  const RunOptions& Options() const { return options_; }

  //! The queues that there are, of which the first is used; they outlive all uses. None: their use
  //! has ended.
  void SetQueues(std::vector<device::Queue*> queues) {
    queues_ = std::move(queues);
    queue_ = 0;
  }
  //! What follows is done through queue `number`, behind all commands for what `sinks` leave, which
  //! were filled through the queues `sink_queues`, by sink.
  void UseQueue(size_t number, const std::vector<size_t>& sinks,
                const std::vector<size_t>& sink_queues);
  device::Queue& Queue() const { return *queues_[queue_]; }
  bool HasSeveralQueues() const { return queues_.size() > 1; }
  //! Of all queues together.
  device::QueueStatistics QueueTotals() const;

  ColumnPins& Pins() { return pins_; }
  JoinBuffers& Joins() { return joins_; }
  //! Begins to read between which keys those of a join table are, which has been filled through the
  //! present queue.
  void ReadKeyRangeLater(size_t sink);
  //! Waits for the key range of a join table, if it was asked for and is not there yet.
  void AwaitKeyRange(size_t sink);
  const KeyRange& KeyRangeOf(size_t sink) const { return key_ranges_.at(sink); }
  //! What a sink has left on the device for others.
  void SetMaterialised(size_t sink, std::shared_ptr<const MaterialisedTable> table) {
    materialised_[sink] = std::move(table);
  }
  //! The rows that are read as `table`; null where that is an image.
  const MaterialisedTable* MaterialisedAs(size_t table) const;
  //! Rows of a table, once it is there.
  uint64_t RowsOf(size_t table) const;
  //! Lets go of what a sink has left: nobody reads it any more.
  void ReleaseSink(size_t sink);
  //! Lets go of everything.
  void Release();

  RunStatistics& Statistics() { return statistics_; }
  const RunStatistics& Statistics() const { return statistics_; }
  //! Adds launches of a kernel to the statistics, beside others of this name since kernel `first`.
  void CountLaunches(const std::string& name, size_t first, uint64_t launches, double milliseconds);

  //! Leaves a launch in the present queue to itself until it is settled. `report` is there once the
  //! host has waited for that queue; null: none.
  void Defer(const std::string& name, size_t first_kernel, device::Event end,
             std::unique_ptr<KernelReport> report);
  KernelReport& LastDeferredReport() { return *pending_.back().report; }
  bool HasPending() const { return !pending_.empty(); }
  //! Counts the launches that were deferred in the present queue, and throws what they reported.
  //! The host must have waited for that queue.
  void Settle() { Settle(queue_); }
  //! The same for the queues whose commands are done, hardly waiting.
  void SettleDone();
  //! The same for all queues, after waiting for their commands.
  void SettleAll();

  //! Throws Interrupted where the caller wants that.
  void ThrowIfInterrupted() const {
    if (options_.interrupted())
      throw Interrupted();
  }
  //! How many compute units of the device the run may use.
  uint32_t ComputeUnits() const;

  //! Runs `transfer` and adds its time to the statistics.
  template <typename Transfer>
  void Timed(const Transfer& transfer) {
    const auto start = std::chrono::steady_clock::now();
    transfer();
    statistics_.transfer_milliseconds +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  //! Runs what brings results of a sink to the host, and adds the host's time to the statistics, if
  //! the sink is that of the answer.
  template <typename Fetch>
  void Fetching(size_t sink, const Fetch& fetch) {
    if (sink != Program().result) {
      fetch();
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const double before = DeviceMilliseconds();
    fetch();
    statistics_.host.fetch +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count() -
        (DeviceMilliseconds() - before);
  }
  //! A buffer with these values, which other executions of the part are likely to need too.
  template <typename Value>
  std::shared_ptr<const device::Buffer> Constant(const std::vector<Value>& values) {
    std::shared_ptr<const device::Buffer> buffer;
    Timed([&] { buffer = part_.Constants().Get(std::as_bytes(std::span(values))); });
    return buffer;
  }
  //! Stands for a column of a table without rows.
  const device::Buffer& NoRows() {
    if (!no_rows_)
      no_rows_ = Constant(std::vector<int64_t>(2));
    return *no_rows_;
  }
  //! A buffer with these values for this execution.
  template <typename Value>
  device::Buffer Upload(const std::vector<Value>& values) {
    device::Buffer buffer;
    const size_t bytes = values.size() * sizeof(Value);
    Grow(buffer, GetDevice(), bytes, device::Access::ReadOnly);
    if (bytes != 0)
      Timed([&] { Queue().Write(buffer, 0, values.data(), bytes); });
    return buffer;
  }

  //! Gives rows of the result. None is handed on before all kernels have run to their end.
  void Give(ResultBatch batch) { results_.push_back(std::move(batch)); }
  std::deque<ResultBatch>& Results() { return results_; }

 private:
  //! What calls of the queues have cost so far.
  double DeviceMilliseconds() const {
    const device::QueueStatistics totals = QueueTotals();
    return totals.enqueue_milliseconds + totals.wait_milliseconds;
  }

  //! A launch that the host has not waited for.
  struct PendingLaunch {
    std::string kernel;  //!< for people
    size_t first_kernel = 0;
    device::Event end;
    std::unique_ptr<KernelReport> report;  //!< there once the host has waited
    size_t queue = 0;
  };

  //! Waits for the commands of a queue, and settles its launches.
  void FinishQueue(size_t queue);
  //! Settles the launches of a queue that the host has waited for.
  void Settle(size_t queue);
  //! Counts these launches and throws what they reported.
  void Settle(const std::vector<PendingLaunch>& launches);

  const ProgramPart& part_;
  const ProgramPart::Kernels kernels_;  //!< by pipeline
  const RunOptions options_;
  std::vector<device::Queue*> queues_;
  size_t queue_ = 0;  //!< in use
  RunStatistics statistics_;
  ColumnPins pins_;
  JoinBuffers joins_;
  std::map<size_t, KeyRange> key_ranges_;        //!< by sink
  std::map<size_t, size_t> awaited_key_ranges_;  //!< the queue that reads it, by sink
  std::shared_ptr<const device::Buffer> no_rows_;
  std::vector<std::shared_ptr<const MaterialisedTable>> materialised_;  //!< by sink
  std::vector<PendingLaunch> pending_;                                  //!< in their order
  std::deque<ResultBatch> results_;                                     //!< not handed on yet
};

//! A table that a kernel fills has no room for what is to come.
class TableFull : public std::runtime_error {
 public:
  TableFull() : std::runtime_error("a table is full") {}
};

//! Throws what a kernel reported in `faults`.
void ThrowFaults(int32_t faults);

}  // namespace margay::execute
