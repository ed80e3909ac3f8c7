#include "integration/operator/client_sleep.hpp"

#include "duckdb/parallel/task.hpp"

namespace margay::integration {
namespace {

class NoTask : public duckdb::Task {
 public:
  duckdb::TaskExecutionResult Execute(duckdb::TaskExecutionMode) override {
    return duckdb::TaskExecutionResult::TASK_FINISHED;
  }
  std::string TaskType() const override { return "MargayWakesClient"; }
};

}  // namespace

ClientSleep::ClientSleep(duckdb::Executor& executor)
    : executor_(executor), task_(duckdb::make_shared_ptr<NoTask>()) {
  auto waiting = task_;
  executor_.AddToBeRescheduled(waiting);
}

ClientSleep::~ClientSleep() {
  try {
    executor_.RescheduleTask(task_);
  } catch (const std::exception&) {
    // The thread sleeps for 20 ms at most, and finds the task gone.
  }
}

}  // namespace margay::integration
