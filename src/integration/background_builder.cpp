#include "integration/background_builder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>

#include "duckdb/common/error_data.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/connection_manager.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/database_manager.hpp"
#include "duckdb/planner/extension_callback.hpp"
#include "execute/part.hpp"
#include "integration/instance.hpp"
#include "integration/operator/part_maker.hpp"
#include "schedule/job_list.hpp"

namespace margay::integration {
namespace {

using Clock = std::chrono::steady_clock;

//! How long the exit of the process waits for a job to end; the longest step that can't be
//! interrupted is a compilation.
constexpr auto kLongestExit = std::chrono::seconds(10);

//! Programs that are compiled at a time: the other cores answer queries meanwhile.
constexpr uint32_t kThreads = 1;

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
    Build(*job.made, kThreads, instance->counters);
    return {};
  }
  std::variant<PreparedPart, plan::Refusal> prepared;
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
  if (auto* refusal = std::get_if<plan::Refusal>(&prepared)) {
    return refusal->reason;
  }
  const auto& part = std::get<PreparedPart>(prepared).made.part;
  if (part && !is_cancelled && !ExitGuard::Instance().IsExiting()) {
    Build(*part, kThreads, instance->counters);
  }
  return {};
}

}  // namespace

BuildJob::Identity BuildJob::GetIdentity() const {
  Identity identity;
  for (const auto& table : part->tables) {
    if (!table.tap) {
      identity.tables.push_back({table.catalog, table.oid});
    }
  }
  identity.device = settings.device;
  identity.shape = settings.shape;
  identity.join_method = settings.join_method;
  identity.plan = part->plan;
  identity.only_compiles = made != nullptr;
  return identity;
}

bool BuildJob::Identity::operator==(const Identity& other) const {
  return only_compiles == other.only_compiles && tables == other.tables && device == other.device &&
         shape == other.shape && join_method == other.join_method &&
         plan::SameNode(*plan, *other.plan);
}

//! Shared by the builder and its thread.
struct BackgroundBuilder::Queue {
  duckdb::weak_ptr<duckdb::DatabaseInstance> database;
  std::mutex mutex;
  std::condition_variable changed;

  //! Guarded by the mutex.
  schedule::JobList<BuildJob> jobs;
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
    queue_->jobs.Clear();
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
  std::lock_guard<std::mutex> guard(queue_->mutex);
  auto database = queue_->database.lock();
  // Without a connection nobody would end the job in time; see Cancel().
  if (!database || duckdb::ConnectionManager::Get(*database).GetConnectionCount() == 0 ||
      queue_->is_stopping || queue_->is_cancelled ||
      !queue_->jobs.Add(std::move(job), Clock::now())) {
    return;
  }
  if (!thread_.joinable()) {
    thread_ = std::thread([queue = queue_] { Work(queue); });
  }
  queue_->changed.notify_all();
}

std::string BackgroundBuilder::Problem(const BuildJob& job) const {
  std::lock_guard<std::mutex> guard(queue_->mutex);
  return queue_->jobs.Problem(job.GetIdentity(), Clock::now());
}

void BackgroundBuilder::NoteProblem(const BuildJob& job, const std::string& reason) {
  std::lock_guard<std::mutex> guard(queue_->mutex);
  queue_->jobs.NoteProblem(job.GetIdentity(), reason, Clock::now());
}

void BackgroundBuilder::Cancel() noexcept {
  try {
    std::unique_lock<std::mutex> lock(queue_->mutex);
    queue_->jobs.Clear();
    if (!queue_->jobs.IsRunning() || queue_->is_stopping) {
      return;
    }
    queue_->is_cancelled = true;
    queue_->changed.wait(lock, [this] { return !queue_->jobs.IsRunning(); });
    queue_->is_cancelled = false;
  } catch (...) {
    // Only the system's own mutex could fail here; callers are callbacks, which may not throw.
  }
}

void BackgroundBuilder::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(queue_->mutex);
  queue_->changed.wait(lock,
                       [this] { return !queue_->jobs.IsRunning() && queue_->jobs.IsEmpty(); });
}

void BackgroundBuilder::ForgetProblems() {
  std::lock_guard<std::mutex> guard(queue_->mutex);
  queue_->jobs.ForgetProblems();
}

void BackgroundBuilder::Work(const std::shared_ptr<Queue>& queue) {
  while (true) {
    BuildJob job;
    {
      std::unique_lock<std::mutex> lock(queue->mutex);
      queue->changed.wait(lock, [&] { return queue->is_stopping || !queue->jobs.IsEmpty(); });
      if (queue->is_stopping) {
        return;
      }
      job = queue->jobs.Start();
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
    queue->jobs.Finish(problem, Clock::now());
    queue->changed.notify_all();
  }
}

}  // namespace margay::integration
