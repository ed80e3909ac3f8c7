#include "benchmark_runner.hpp"

#include <algorithm>
#include <utility>

#include "session.hpp"
#include "stopwatch.hpp"

namespace margay::tool {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

Timing Summarize(std::vector<double> milliseconds) {
  double best = *std::min_element(milliseconds.begin(), milliseconds.end());
  return {Median(std::move(milliseconds)), best};
}

BenchmarkRunner::BenchmarkRunner(Session& session, int repeat, std::string mode,
                                 std::function<bool()> stop)
    : session_(session), repeat_(repeat), mode_(std::move(mode)), stop_(std::move(stop)) {}

BenchmarkResult BenchmarkRunner::Run(const BenchmarkQuery& query) {
  BenchmarkResult result;
  result.query = query.name;
  try {
    RunDuckDb(query.sql, &result.answer);
    std::optional<Answer> margay_answer;
    try {
      result.first_milliseconds = RunMargay(query.sql, &margay_answer).milliseconds;
    } catch (const SqlError& error) {
      session_.Set("margay_mode", "off");
      CheckStop();
      result.outcome = error.Kind() == "Not implemented" ? BenchmarkResult::Outcome::Refused
                                                         : BenchmarkResult::Outcome::Failed;
      result.reason = error.Reason();
      return result;
    }
    result.reason = margay_answer->Difference(*result.answer);
    if (!result.reason.empty()) {
      result.outcome = BenchmarkResult::Outcome::Different;
      return result;
    }
    RunHot(query.sql, result);
    result.outcome = BenchmarkResult::Outcome::Compared;
  } catch (const SqlError& error) {
    result.outcome = BenchmarkResult::Outcome::Failed;
    result.reason = error.Reason();
  }
  return result;
}

void BenchmarkRunner::RunHot(const std::string& sql, BenchmarkResult& result) {
  std::vector<double> duckdb;
  std::vector<double> margay;
  std::vector<double> kernel;
  result.on_device = true;
  for (int i = 0; i < repeat_; i++) {
    duckdb.push_back(RunDuckDb(sql, nullptr));
    MargayRun run = RunMargay(sql, nullptr);
    margay.push_back(run.milliseconds);
    kernel.push_back(run.kernel_milliseconds);
    result.bytes_touched = run.bytes_touched;
    result.on_device = result.on_device && run.device_executions > 0;
  }
  result.duckdb = Summarize(std::move(duckdb));
  result.margay = Summarize(std::move(margay));
  result.kernel_milliseconds = Median(std::move(kernel));
}

double BenchmarkRunner::RunDuckDb(const std::string& sql, std::optional<Answer>* answer) {
  session_.Set("margay_mode", "off");
  return RunTimed(sql, answer);
}

BenchmarkRunner::MargayRun BenchmarkRunner::RunMargay(const std::string& sql,
                                                      std::optional<Answer>* answer) {
  auto before = session_.Counters();
  session_.Set("margay_mode", mode_);
  MargayRun run;
  run.milliseconds = RunTimed(sql, answer);
  session_.Set("margay_mode", "off");
  auto after = session_.Counters();
  auto grown = [&](const char* name) { return after[name] - before[name]; };
  run.kernel_milliseconds = static_cast<double>(grown("kernel_nanoseconds")) / 1e6;
  run.bytes_touched = grown("bytes_touched");
  run.device_executions = grown("device_executions");
  return run;
}

double BenchmarkRunner::RunTimed(const std::string& sql, std::optional<Answer>* answer) {
  CheckStop();
  Stopwatch watch;
  Answer given = session_.Query(sql);
  double milliseconds = watch.Milliseconds();
  if (answer != nullptr) {
    *answer = std::move(given);
  }
  return milliseconds;
}

void BenchmarkRunner::CheckStop() const {
  if (stop_()) {
    throw SqlError("INTERRUPT", "interrupted", "interrupted");
  }
}

}  // namespace margay::tool
