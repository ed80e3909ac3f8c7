#include "execute/program_run.hpp"

#include <algorithm>
#include <chrono>

#include "schedule/queue_assignment.hpp"

namespace margay::execute {

namespace {

//! Queues of an execution in the lanes shape: small kernels leave most of a GPU idle. One kernel of
//! the loop shape takes all cores of a CPU.
constexpr size_t kQueuesOfLanes = 4;

size_t MostQueues(const optimize::Program& program) {
  return program.pipelines[0].lowered->shape == optimize::Shape::Lanes ? kQueuesOfLanes : 1;
}

}  // namespace

ProgramRun::ProgramRun(std::shared_ptr<const ProgramPart> part, RunOptions options)
    : part_(std::move(part)),
      context_(*part_, std::move(options)),
      queues_(schedule::AssignQueues(part_->Program(), MostQueues(part_->Program()))),
      sink_queues_(part_->Program().sinks.size()),
      sinks_(part_->Program().sinks.size()),
      readers_(part_->Program().Readers()) {
  for (size_t i = 0; i < part_->Program().pipelines.size(); i++)
    pipelines_.push_back(std::make_unique<PipelineRun>(context_, i));
}

double ProgramRun::Progress() const {
  const size_t done = done_;
  if (done == pipelines_.size())
    return 1;
  return (static_cast<double>(done) + pipelines_[done]->Progress()) /
         static_cast<double>(pipelines_.size());
}

void ProgramRun::RunPipeline(size_t number) {
  const size_t sink = part_->Program().pipelines[number].sink;
  context_.UseQueue(queues_[number], part_->Program().SinksReadBy(number), sink_queues_);
  sink_queues_[sink] = queues_[number];
  if (!sinks_[sink])
    sinks_[sink] = SinkRun::Make(context_, sink);
  pipelines_[number]->Begin();
  sinks_[sink]->Run(*pipelines_[number]);
  if (context_.Options().source && context_.Pool().IsTight())
    context_.SettleAll();
  // What finishes the sink may need the memory.
  if (!context_.HasPending())
    pipelines_[number]->Unpin();
}

void ProgramRun::FinishPipeline(size_t number) {
  const optimize::Program& program = part_->Program();
  const size_t sink = program.pipelines[number].sink;
  const bool may_run_again = sinks_[sink]->RunsPipelinesAgain();
  if (!may_run_again)
    CountReader(number);
  if (program.sinks[sink].pipelines.back() != number)
    return;
  context_.Fetching(sink, [&] { sinks_[sink]->Finish(); });
  for (size_t pipeline : program.sinks[sink].pipelines) {
    if (may_run_again)
      CountReader(pipeline);
  }
}

void ProgramRun::CountReader(size_t pipeline) {
  for (size_t read : part_->Program().SinksReadBy(pipeline)) {
    if (--readers_[read] == 0)
      unread_sinks_.push_back(read);
  }
}

void ProgramRun::ReleaseFinished() {
  if (context_.HasSeveralQueues())
    context_.SettleDone();
  if (context_.HasPending())
    return;
  for (size_t number = 0; number < done_; number++)
    pipelines_[number]->Unpin();
  for (size_t sink : unread_sinks_) {
    context_.ReleaseSink(sink);
    sinks_[sink] = nullptr;
  }
  unread_sinks_.clear();
}

void ProgramRun::RunAll() {
  const auto start = std::chrono::steady_clock::now();
  const size_t count = *std::max_element(queues_.begin(), queues_.end()) + 1;
  std::vector<device::QueueLease> leases;
  leases.reserve(count);
  std::vector<device::Queue*> queues;
  queues.reserve(count);
  while (leases.size() < count)
    queues.push_back(&*leases.emplace_back(part_->GetDevice().AcquireQueue()));
  context_.SetQueues(std::move(queues));
  for (size_t number = 0; number < pipelines_.size(); number++) {
    RunPipeline(number);
    FinishPipeline(number);
    done_ = number + 1;
    ReleaseFinished();
  }
  if (context_.HasPending())
    context_.SettleAll();
  RunStatistics& statistics = context_.Statistics();
  part_->Learned().History().Add(
      (statistics.kernel_milliseconds - statistics.structure_milliseconds) * 1e6 *
          context_.ComputeUnits(),
      statistics.rows_in);
  // Whoever reads the result may take long; others need the memory.
  done_ = pipelines_.size();
  ReleaseFinished();
  sinks_.clear();
  context_.Release();
  TakeTimes(start);
  context_.SetQueues({});
}

void ProgramRun::TakeTimes(std::chrono::steady_clock::time_point start) {
  RunStatistics& statistics = context_.Statistics();
  const device::QueueStatistics queue = context_.QueueTotals();
  statistics.synchronisations = queue.synchronisations;
  HostTimes& host = statistics.host;
  host.enqueue = queue.enqueue_milliseconds;
  host.wait = queue.wait_milliseconds;
  const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start;
  host.bind = std::max(
      0.0, all.count() - host.enqueue - host.wait - host.fetch - statistics.compile_milliseconds);
}

std::optional<ResultBatch> ProgramRun::Next() {
  if (!is_done_) {
    RunAll();
    is_done_ = true;
  }
  std::deque<ResultBatch>& results = context_.Results();
  if (results.empty())
    return std::nullopt;
  ResultBatch batch = std::move(results.front());
  results.pop_front();
  context_.Statistics().rows_out += batch.rows;
  return batch;
}

}  // namespace margay::execute
