#include "integration/background_builder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>

#include "duckdb/common/error_data.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/connection_manager.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/database_manager.hpp"
#include "duckdb/planner/extension_callback.hpp"
#include "execute/part.hpp"
#include "integration/instance.hpp"
#include "integration/operator/placement.hpp"

namespace margay::integration {
namespace {

using Clock = std::chrono::steady_clock;

//! More waiting jobs than this are not taken: the queries will come back.
constexpr size_t kMostJobs = 64;

//! A failed job is not tried again sooner: memory is short for a while, and other failures last.
constexpr auto kRestAfterFailure = std::chrono::seconds(10);

//! How long the exit of the process waits for a job to end; the longest step that can't be
//! interrupted is a compilation.
constexpr auto kLongestExit = std::chrono::seconds(10);

//! References to the instance that a running job has itself: its own and that of its client
//! context.
constexpr long kOwnReferences = 2;

//! Ends the running jobs of all instances at the exit of the process. Never destroyed.
class ExitGuard {
 public:
  static ExitGuard& Instance() {
    static auto* guard = new ExitGuard;
    return *guard;
  }

  //! To be called once OpenCL is loaded, so that this exit handler runs before those of its
  //! runtimes.
  void Install() {
    std::call_once(installed_, [] { std::atexit([] { Instance().AtExit(); }); });
  }

  bool IsExiting() const { return is_exiting_; }

  void Enter() {
    std::lock_guard<std::mutex> guard(mutex_);
    running_++;
  }
  void Leave() {
    std::lock_guard<std::mutex> guard(mutex_);
    running_--;
    condition_.notify_all();
  }

 private:
  void AtExit() {
    is_exiting_ = true;
    std::unique_lock<std::mutex> lock(mutex_);
    condition_.wait_for(lock, kLongestExit, [this] { return running_ == 0; });
  }

  std::once_flag installed_;
  std::atomic<bool> is_exiting_{false};
  std::mutex mutex_;
  std::condition_variable condition_;
  int running_ = 0;
};

//! Tells whether a database of a part is no longer attached, at the price of a look at the clock.
class DetachWatch {
 public:
  DetachWatch(duckdb::DatabaseInstance& instance, const CapturedPart& part)
      : manager_(instance.GetDatabaseManager()) {
    for (const auto& table : part.tables) {
      if (!table.tap) {
        databases_.insert(table.catalog);
      }
    }
  }

  bool IsDetached() {
    auto now = Clock::now().time_since_epoch().count();
    auto next = next_look_.load();
    if (now >= next &&
        next_look_.compare_exchange_strong(next, now + Clock::duration(kInterval).count())) {
      is_detached_ =
          std::any_of(databases_.begin(), databases_.end(), [this](const std::string& database) {
            return manager_.GetDatabase(database) == nullptr;
          });
    }
    return is_detached_;
  }

 private:
  static constexpr auto kInterval = std::chrono::milliseconds(5);

  duckdb::DatabaseManager& manager_;
  std::set<std::string> databases_;
  std::atomic<Clock::rep> next_look_{0};
  std::atomic<bool> is_detached_{false};
};

//! Ends background work before the last connection closes; see BackgroundBuilder.
class ClosedConnections : public duckdb::ExtensionCallback {
 public:
  void OnConnectionClosed(duckdb::ClientContext& context) override {
    try {
      if (duckdb::ConnectionManager::Get(context).GetConnectionCount() > 1) {
        return;
      }
      auto instance = Instance::Get(context);
      if (instance) {
        instance->builder.Cancel();
      }
    } catch (...) {
      // Callbacks may not throw; the job then ends by itself a little later.
    }
  }
};

//! Does the job, or returns why it can't be done. Throws what went wrong.
std::string RunJob(const duckdb::shared_ptr<duckdb::DatabaseInstance>& database,
                   const BuildJob& job, const std::atomic<bool>& is_cancelled) {
  DevicePools::Load();
  ExitGuard::Instance().Install();
  auto instance = Instance::Get(*database);
  instance->counters.background_jobs++;
  if (job.made) {
    Build(*job.made, instance->counters);
    return {};
  }
  std::variant<PreparedPart, execute::Refusal> prepared;
  {
    auto context = duckdb::make_shared_ptr<duckdb::ClientContext>(database);
    // A transaction keeps a detached database open: the user may want to attach its file again.
    DetachWatch watch(*database, *job.part);
    ReadControl control;
    control.is_interrupted = [&] {
      return is_cancelled || ExitGuard::Instance().IsExiting() ||
             database.use_count() <= kOwnReferences || watch.IsDetached();
    };
    context->RunFunctionInTransaction(
        [&] { prepared = Prepare(*context, *job.part, job.settings, control, Maker::Background); });
  }
  if (auto* refusal = std::get_if<execute::Refusal>(&prepared)) {
    return refusal->reason;
  }
  const auto& part = std::get<PreparedPart>(prepared).part;
  if (part && !is_cancelled && !ExitGuard::Instance().IsExiting()) {
    Build(*part, instance->counters);
  }
  return {};
}

}  // namespace

std::string BuildJob::Key() const {
  std::string shape = settings.shape ? std::string(optimize::ShapeName(*settings.shape)) : "auto";
  std::string method =
      settings.join_method ? std::string(optimize::JoinMethodName(*settings.join_method)) : "auto";
  std::string tables;
  for (const auto& table : part->tables) {
    tables += table.catalog + "." + table.schema + "." + table.name + "#" +
              std::to_string(table.oid) + "\n";
  }
  return tables + settings.device + "\n" + shape + "\n" + method + "\n" + part->plan->ToString() +
         (made ? "\nkernel" : "");
}

//! Shared by the builder and its thread.
struct BackgroundBuilder::Queue {
  struct Failure {
    Clock::time_point retry_at;
    std::string reason;
  };

  duckdb::weak_ptr<duckdb::DatabaseInstance> database;
  std::mutex mutex;
  std::condition_variable changed;

  //! Guarded by the mutex.
  std::deque<BuildJob> jobs;
  std::string running;
  std::unordered_map<std::string, Failure> failures;
  bool is_stopping = false;

  std::atomic<bool> is_cancelled{false};
};

BackgroundBuilder::BackgroundBuilder(duckdb::DatabaseInstance& database)
    : queue_(std::make_shared<Queue>()) {
  queue_->database = database.shared_from_this();
}

BackgroundBuilder::~BackgroundBuilder() {
  {
    std::lock_guard<std::mutex> guard(queue_->mutex);
    queue_->is_stopping = true;
    queue_->is_cancelled = true;
    queue_->jobs.clear();
    queue_->changed.notify_all();
  }
  if (!thread_.joinable()) {
    return;
  }
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void BackgroundBuilder::Register(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionCallback::Register(duckdb::DBConfig::GetConfig(database),
                                      duckdb::make_shared_ptr<ClosedConnections>());
}

void BackgroundBuilder::Start(BuildJob job) {
  std::string key = job.Key();
  std::lock_guard<std::mutex> guard(queue_->mutex);
  auto database = queue_->database.lock();
  // Without a connection nobody would end the job in time; see Cancel().
  if (!database || duckdb::ConnectionManager::Get(*database).GetConnectionCount() == 0 ||
      queue_->is_stopping || queue_->is_cancelled || queue_->running == key ||
      queue_->jobs.size() >= kMostJobs) {
    return;
  }
  for (const auto& waiting : queue_->jobs) {
    if (waiting.Key() == key) {
      return;
    }
  }
  std::erase_if(queue_->failures,
                [](const auto& failure) { return Clock::now() >= failure.second.retry_at; });
  if (queue_->failures.count(key) != 0) {
    return;
  }
  if (!thread_.joinable()) {
    thread_ = std::thread([queue = queue_] { Work(queue); });
  }
  queue_->jobs.push_back(std::move(job));
  queue_->changed.notify_all();
}

std::string BackgroundBuilder::Problem(const BuildJob& job) const {
  std::lock_guard<std::mutex> guard(queue_->mutex);
  auto failure = queue_->failures.find(job.Key());
  if (failure == queue_->failures.end() || Clock::now() >= failure->second.retry_at) {
    return {};
  }
  return failure->second.reason;
}

void BackgroundBuilder::NoteProblem(const BuildJob& job, const std::string& reason) {
  std::lock_guard<std::mutex> guard(queue_->mutex);
  queue_->failures[job.Key()] = {Clock::now() + kRestAfterFailure, reason};
}

void BackgroundBuilder::Cancel() noexcept {
  try {
    std::unique_lock<std::mutex> lock(queue_->mutex);
    queue_->jobs.clear();
    if (queue_->running.empty() || queue_->is_stopping) {
      return;
    }
    queue_->is_cancelled = true;
    queue_->changed.wait(lock, [this] { return queue_->running.empty(); });
    queue_->is_cancelled = false;
  } catch (...) {
    // Only the system's own mutex could fail here; callers are callbacks, which may not throw.
  }
}

void BackgroundBuilder::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(queue_->mutex);
  queue_->changed.wait(lock, [this] { return queue_->running.empty() && queue_->jobs.empty(); });
}

void BackgroundBuilder::ForgetProblems() {
  std::lock_guard<std::mutex> guard(queue_->mutex);
  queue_->failures.clear();
}

void BackgroundBuilder::Work(const std::shared_ptr<Queue>& queue) {
  while (true) {
    BuildJob job;
    {
      std::unique_lock<std::mutex> lock(queue->mutex);
      queue->changed.wait(lock, [&] { return queue->is_stopping || !queue->jobs.empty(); });
      if (queue->is_stopping) {
        return;
      }
      job = std::move(queue->jobs.front());
      queue->jobs.pop_front();
      queue->running = job.Key();
    }
    std::string problem;
    ExitGuard::Instance().Enter();
    {
      auto database = queue->database.lock();
      try {
        if (database) {
          problem = RunJob(database, job, queue->is_cancelled);
        }
      } catch (const execute::Interrupted&) {
        // Nobody needs the result any more.
      } catch (std::exception& error) {
        problem = duckdb::ErrorData(error).RawMessage();
      } catch (...) {
        problem = "an unknown error";
      }
      job = BuildJob();
    }
    ExitGuard::Instance().Leave();
    std::lock_guard<std::mutex> guard(queue->mutex);
    if (problem.empty()) {
      queue->failures.erase(queue->running);
    } else {
      queue->failures[queue->running] = {Clock::now() + kRestAfterFailure, problem};
    }
    queue->running.clear();
    queue->changed.notify_all();
  }
}

}  // namespace margay::integration
