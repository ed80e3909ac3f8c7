#include "integration/image/team.hpp"

#include <algorithm>

#include "duckdb/main/client_context.hpp"
#include "duckdb/parallel/task_executor.hpp"
#include "duckdb/parallel/task_scheduler.hpp"

namespace margay::integration {
namespace {

class TeamTask : public duckdb::BaseExecutorTask {
 public:
  TeamTask(duckdb::TaskExecutor& executor, Team& team, const std::function<void()>& work)
      : BaseExecutorTask(executor), team_(team), work_(work) {}

  void ExecuteTask() override {
    try {
      work_();
    } catch (...) {
      team_.Fail();
    }
  }

 private:
  Team& team_;
  const std::function<void()>& work_;
};

}  // namespace

void Team::Run(size_t largest, const std::function<void()>& work) {
  auto threads =
      static_cast<size_t>(duckdb::TaskScheduler::GetScheduler(context_).NumberOfThreads());
  duckdb::TaskExecutor executor(context_);
  for (size_t i = 0; i < std::max<size_t>(1, std::min(threads, largest)); i++) {
    executor.ScheduleTask(duckdb::make_uniq<TeamTask>(executor, *this, work));
  }
  executor.WorkOnTasks();
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

void Team::Fail() {
  std::lock_guard<std::mutex> guard(mutex_);
  if (!failure_) {
    failure_ = std::current_exception();
  }
  has_failed_ = true;
}

storage::ParallelFor TeamFor(duckdb::ClientContext& context, const ReadControl& control) {
  return [&context, &control](size_t count, const std::function<void(size_t)>& function) {
    std::atomic<size_t> next{0};
    Team team(context);
    team.Run(count, [&] {
      while (!team.HasFailed()) {
        size_t i = next++;
        if (i >= count) {
          return;
        }
        control.ThrowIfInterrupted();
        function(i);
      }
    });
  };
}

}  // namespace margay::integration
