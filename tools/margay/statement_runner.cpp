#include "statement_runner.hpp"

#include <utility>

#include "plan_reasons.hpp"
#include "session.hpp"
#include "stopwatch.hpp"

namespace margay::tool {
namespace {

//! A device is opened, columns are encoded and a kernel is compiled one after the other, each of
//! them by a run at most: whatever takes more runs will not come to an end.
constexpr int kMostWarmUps = 10;

}  // namespace

StatementRunner::StatementRunner(Session& session, std::string mode, std::function<bool()> stop)
    : session_(session), mode_(std::move(mode)), stop_(std::move(stop)) {}

void StatementRunner::UseDuckDb() {
  session_.Set("margay_mode", "off");
}

void StatementRunner::UseMargay() {
  session_.Set("margay_mode", mode_);
}

double StatementRunner::Run(const std::string& sql, std::optional<Answer>* answer) {
  CheckStop();
  Stopwatch watch;
  Answer given = session_.Query(sql);
  double milliseconds = watch.Milliseconds();
  if (answer != nullptr) {
    *answer = std::move(given);
  }
  return milliseconds;
}

double StatementRunner::RunDuckDb(const std::string& sql, std::optional<Answer>* answer) {
  UseDuckDb();
  return Run(sql, answer);
}

double StatementRunner::Plan(const std::string& sql) {
  return RunDuckDb("EXPLAIN " + sql, nullptr);
}

StatementRunner::MargayRun StatementRunner::RunMargay(const std::string& sql,
                                                      const Answer& expected) {
  auto before = session_.Counters();
  UseMargay();
  MargayRun run;
  std::optional<Answer> answer;
  run.milliseconds = Run(sql, &answer);
  UseDuckDb();
  auto after = session_.Counters();
  auto grown = [&](const char* name) { return after[name] - before[name]; };
  run.kernel_milliseconds = static_cast<double>(grown("kernel_nanoseconds")) / 1e6;
  run.bytes_touched = grown("bytes_touched");
  run.host = HostCosts::Between(before, after);
  run.device_executions = grown("device_executions");
  run.duckdb_executions = grown("duckdb_executions");
  run.difference = answer->Difference(expected);
  return run;
}

std::string StatementRunner::WarmUp(const std::string& sql, const Answer& expected) {
  session_.WaitForBackground();
  for (int i = 0; i < kMostWarmUps; i++) {
    uint64_t jobs = session_.Counters()["background_jobs"];
    MargayRun run = RunMargay(sql, expected);
    if (!run.difference.empty() || run.duckdb_executions == 0) {
      return run.difference;
    }
    session_.WaitForBackground();
    if (session_.Counters()["background_jobs"] == jobs) {
      break;
    }
  }
  return {};
}

std::string StatementRunner::Reasons(const std::string& sql) {
  UseMargay();
  std::string reasons = PlanReasons(session_.Query("EXPLAIN (FORMAT JSON) " + sql).Text(0, 1));
  UseDuckDb();
  return reasons;
}

void StatementRunner::CheckStop() const {
  if (stop_()) {
    throw SqlError("INTERRUPT", "interrupted", "interrupted");
  }
}

}  // namespace margay::tool
