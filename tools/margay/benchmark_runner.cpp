#include "benchmark_runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plan_reasons.hpp"
#include "session.hpp"
#include "stopwatch.hpp"

namespace margay::tool {
namespace {

//! A device is opened, columns are encoded and a kernel is compiled one after the other, each of
//! them by a run at most: whatever takes more runs will not come to an end.
constexpr int kMostWarmUps = 10;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

//! The bare reason of a refusal.
std::string WithoutMode(const std::string& reason) {
  constexpr std::string_view prefix = "margay_mode = force: ";
  return reason.compare(0, prefix.size(), prefix) == 0 ? reason.substr(prefix.size()) : reason;
}

}  // namespace

Timing Summarize(std::vector<double> milliseconds) {
  double best = *std::min_element(milliseconds.begin(), milliseconds.end());
  return {Median(std::move(milliseconds)), best};
}

double GeometricMean(const std::vector<double>& values) {
  double logarithms = 0;
  for (double value : values) {
    logarithms += std::log(value);
  }
  return std::exp(logarithms / static_cast<double>(values.size()));
}

BenchmarkRunner::BenchmarkRunner(Session& session, int repeat, std::string mode,
                                 std::function<bool()> stop)
    : session_(session), repeat_(repeat), mode_(std::move(mode)), stop_(std::move(stop)) {}

BenchmarkResult BenchmarkRunner::Run(const BenchmarkQuery& query) {
  BenchmarkResult result;
  result.query = query.name;
  try {
    RunDuckDb(query.sql, &result.answer);
    RunAll(query.sql, result);
  } catch (const SqlError& error) {
    result.outcome = BenchmarkResult::Outcome::Failed;
    result.reason = WithoutMode(error.Reason());
  }
  return result;
}

void BenchmarkRunner::RunAll(const std::string& sql, BenchmarkResult& result) {
  std::vector<double> duckdb;
  std::optional<MargayRun> first;
  try {
    first = RunMargay(sql, *result.answer);
  } catch (const SqlError& error) {
    session_.Set("margay_mode", "off");
    CheckStop();
    if (error.Kind() != "Not implemented") {
      throw;
    }
    for (int i = 0; i < repeat_; i++) {
      duckdb.push_back(RunDuckDb(sql, nullptr));
    }
    result.duckdb = Summarize(std::move(duckdb));
    result.outcome = BenchmarkResult::Outcome::Refused;
    result.reason = WithoutMode(error.Reason());
    return;
  }
  result.first_milliseconds = first->milliseconds;
  std::string difference = first->difference;
  if (difference.empty() && first->duckdb_executions > 0) {
    difference = WarmUp(sql, *result.answer);
  }

  std::vector<double> margay;
  std::vector<double> kernel;
  int device_runs = 0;
  int mixed_runs = 0;
  for (int i = 0; i < repeat_ && difference.empty(); i++) {
    duckdb.push_back(RunDuckDb(sql, nullptr));
    MargayRun run = RunMargay(sql, *result.answer);
    difference = run.difference;
    margay.push_back(run.milliseconds);
    kernel.push_back(run.kernel_milliseconds);
    result.bytes_touched = run.bytes_touched;
    if (run.device_executions > 0) {
      (run.duckdb_executions == 0 ? device_runs : mixed_runs)++;
    }
  }
  if (!difference.empty()) {
    result.outcome = BenchmarkResult::Outcome::Different;
    result.reason = difference;
    return;
  }
  result.duckdb = Summarize(std::move(duckdb));
  result.margay = Summarize(std::move(margay));
  result.kernel_milliseconds = Median(std::move(kernel));
  FindPlace(sql, device_runs, mixed_runs, result);
  result.outcome = BenchmarkResult::Outcome::Compared;
}

std::string BenchmarkRunner::WarmUp(const std::string& sql, const Answer& expected) {
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

void BenchmarkRunner::FindPlace(const std::string& sql, int device_runs, int mixed_runs,
                                BenchmarkResult& result) {
  session_.Set("margay_mode", mode_);
  result.reason = PlanReasons(session_.Query("EXPLAIN (FORMAT JSON) " + sql).Text(0, 1));
  session_.Set("margay_mode", "off");
  if (device_runs == repeat_ && result.reason.empty()) {
    result.place = BenchmarkResult::Place::Device;
    return;
  }
  result.place =
      device_runs + mixed_runs > 0 ? BenchmarkResult::Place::Both : BenchmarkResult::Place::DuckDb;
  if (result.reason.empty()) {
    result.reason = "the device ran all of it in " + std::to_string(device_runs) + " of " +
                    std::to_string(repeat_) + " runs";
  }
}

double BenchmarkRunner::RunDuckDb(const std::string& sql, std::optional<Answer>* answer) {
  session_.Set("margay_mode", "off");
  return RunTimed(sql, answer);
}

BenchmarkRunner::MargayRun BenchmarkRunner::RunMargay(const std::string& sql,
                                                      const Answer& expected) {
  auto before = session_.Counters();
  session_.Set("margay_mode", mode_);
  MargayRun run;
  std::optional<Answer> answer;
  run.milliseconds = RunTimed(sql, &answer);
  session_.Set("margay_mode", "off");
  auto after = session_.Counters();
  auto grown = [&](const char* name) { return after[name] - before[name]; };
  run.kernel_milliseconds = static_cast<double>(grown("kernel_nanoseconds")) / 1e6;
  run.bytes_touched = grown("bytes_touched");
  run.device_executions = grown("device_executions");
  run.duckdb_executions = grown("duckdb_executions");
  run.difference = answer->Difference(expected);
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
