#include "execute/run_context.hpp"

#include <algorithm>

namespace margay::execute {

void Grow(device::Buffer& buffer, device::Device& device, size_t bytes, device::Access access) {
  if (!buffer.IsEmpty() && buffer.Size() >= bytes)
    return;
  buffer = device::Buffer();
  buffer = device.CreateBuffer(std::max<size_t>(bytes, sizeof(int64_t)), access);
}

void ThrowFaults(int32_t faults) {
  if ((faults & compile::kFaultBit) != 0)
    throw ArithmeticFault(
        "a value is out of its type's range, or groups have a negative zero or NaN among their "
        "keys; DuckDB runs this part again");
  if ((faults & compile::kFullBit) != 0)
    throw TableFull();
}

RunContext::RunContext(const ProgramPart& part, RunOptions options)
    : part_(part),
      kernels_(part.GetKernels()),
      options_(std::move(options)),
      pins_(options_.source, statistics_.extents_restored),
      materialised_(part.Program().sinks.size()) {
  for (const optimize::ProgramPipeline& pipeline : Program().pipelines) {
    const optimize::LoweredPipeline& lowered = *pipeline.lowered;
    pins_.Hold(lowered.columns);
    pins_.Hold(lowered.joined_columns);
    const auto* groups = std::get_if<optimize::GroupSink>(&lowered.sink);
    if (groups != nullptr && groups->packing)
      pins_.Hold(groups->packing->columns);
  }
}

const MaterialisedTable* RunContext::MaterialisedAs(size_t table) const {
  const auto& sink = Program().tables[table].sink;
  return sink ? materialised_[*sink].get() : nullptr;
}

uint64_t RunContext::RowsOf(size_t table) const {
  const storage::TableImage* image = part_.ImageOf(table);
  return image != nullptr ? image->Rows() : MaterialisedAs(table)->Rows();
}

void RunContext::ReleaseSink(size_t sink) {
  materialised_[sink] = nullptr;
  joins_.Release(sink);
}

void RunContext::Release() {
  pins_.Release();
  joins_ = JoinBuffers();
  std::fill(materialised_.begin(), materialised_.end(), nullptr);
}

void RunContext::CountLaunches(const std::string& name, size_t first, uint64_t launches,
                               double milliseconds) {
  statistics_.launches += launches;
  statistics_.kernel_milliseconds += milliseconds;
  const auto own = statistics_.kernels.begin() + static_cast<ptrdiff_t>(first);
  auto kernel = std::find_if(own, statistics_.kernels.end(),
                             [&](const KernelStatistics& known) { return known.name == name; });
  if (kernel == statistics_.kernels.end())
    kernel = statistics_.kernels.insert(kernel, {name, 0, 0});
  kernel->launches += launches;
  kernel->milliseconds += milliseconds;
}

void RunContext::Defer(const std::string& name, size_t first_kernel, device::Event end,
                       std::unique_ptr<KernelReport> report) {
  pending_.push_back({name, first_kernel, std::move(end), std::move(report), queue_});
}

void RunContext::ReadKeyRangeLater(size_t sink) {
  joins_.ReadKeyRangeLater(sink, Queue(), key_ranges_[sink]);
  awaited_key_ranges_[sink] = queue_;
}

void RunContext::AwaitKeyRange(size_t sink) {
  const auto awaited = awaited_key_ranges_.find(sink);
  if (awaited != awaited_key_ranges_.end())
    FinishQueue(awaited->second);
}

void RunContext::UseQueue(size_t number, const std::vector<size_t>& sinks,
                          const std::vector<size_t>& sink_queues) {
  // What the host waits for next is in another queue: this one should not wait for the host.
  if (number != queue_)
    Queue().Flush();
  queue_ = number;
  for (size_t sink : sinks) {
    if (sink_queues[sink] != number)
      Queue().WaitForQueue(*queues_[sink_queues[sink]]);
  }
}

device::QueueStatistics RunContext::QueueTotals() const {
  device::QueueStatistics totals;
  for (const device::Queue* queue : queues_)
    totals.Add(queue->Statistics());
  return totals;
}

void RunContext::FinishQueue(size_t queue) {
  queues_[queue]->Finish();
  std::erase_if(awaited_key_ranges_, [&](const auto& range) { return range.second == queue; });
  Settle(queue);
}

void RunContext::Settle(size_t queue) {
  const auto others =
      std::stable_partition(pending_.begin(), pending_.end(),
                            [&](const PendingLaunch& launch) { return launch.queue == queue; });
  const std::vector<PendingLaunch> done(std::make_move_iterator(pending_.begin()),
                                        std::make_move_iterator(others));
  pending_.erase(pending_.begin(), others);
  Settle(done);
}

void RunContext::Settle(const std::vector<PendingLaunch>& launches) {
  for (const PendingLaunch& launch : launches) {
    CountLaunches(launch.kernel, launch.first_kernel, 1,
                  static_cast<double>(launch.end.KernelNanoseconds()) / 1e6);
    if (launch.report)
      ThrowFaults(launch.report->faults);
  }
}

void RunContext::SettleDone() {
  for (size_t queue = 0; queue < queues_.size(); queue++) {
    const auto last =
        std::find_if(pending_.rbegin(), pending_.rend(),
                     [&](const PendingLaunch& launch) { return launch.queue == queue; });
    if (last != pending_.rend() && last->end.IsComplete())
      FinishQueue(queue);
  }
}

void RunContext::SettleAll() {
  for (device::Queue* queue : queues_)
    queue->Finish();
  awaited_key_ranges_.clear();
  const std::vector<PendingLaunch> done = std::move(pending_);
  pending_.clear();
  Settle(done);
}

uint32_t RunContext::ComputeUnits() const {
  const device::DeviceInfo& info = GetDevice().Info();
  // A CPU device runs beside DuckDB's own threads, within their number.
  return info.kind == device::DeviceKind::Cpu ? std::min(options_.threads, info.compute_units)
                                              : info.compute_units;
}

}  // namespace margay::execute
