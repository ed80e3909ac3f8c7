#include "benchmark_runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "session.hpp"

namespace margay::tool {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

std::string WithoutMode(const std::string& reason) {
  constexpr std::string_view prefix = "margay_mode = force: ";
  return reason.compare(0, prefix.size(), prefix) == 0 ? reason.substr(prefix.size()) : reason;
}

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
    : runner_(session, std::move(mode), std::move(stop)), repeat_(repeat) {}

BenchmarkResult BenchmarkRunner::Run(const BenchmarkQuery& query) {
  BenchmarkResult result;
  result.query = query.name;
  try {
    runner_.RunDuckDb(query.sql, &result.answer);
    RunAll(query.sql, result);
  } catch (const SqlError& error) {
    result.outcome = BenchmarkResult::Outcome::Failed;
    result.reason = WithoutMode(error.Reason());
  }
  return result;
}

void BenchmarkRunner::RunAll(const std::string& sql, BenchmarkResult& result) {
  std::vector<double> duckdb;
  std::optional<StatementRunner::MargayRun> first;
  try {
    first = runner_.RunMargay(sql, *result.answer);
  } catch (const SqlError& error) {
    runner_.UseDuckDb();
    runner_.CheckStop();
    if (error.Kind() != "Not implemented") {
      throw;
    }
    for (int i = 0; i < repeat_; i++) {
      duckdb.push_back(runner_.RunDuckDb(sql, nullptr));
    }
    result.duckdb = Summarize(std::move(duckdb));
    result.outcome = BenchmarkResult::Outcome::Refused;
    result.reason = WithoutMode(error.Reason());
    return;
  }
  result.first_milliseconds = first->milliseconds;
  std::string difference = first->difference;
  if (difference.empty() && first->duckdb_executions > 0) {
    difference = runner_.WarmUp(sql, *result.answer);
  }

  std::vector<double> margay;
  std::vector<double> kernel;
  std::vector<HostCosts> host;
  int device_runs = 0;
  int mixed_runs = 0;
  for (int i = 0; i < repeat_ && difference.empty(); i++) {
    duckdb.push_back(runner_.RunDuckDb(sql, nullptr));
    const double plan = runner_.Plan(sql);
    StatementRunner::MargayRun run = runner_.RunMargay(sql, *result.answer);
    difference = run.difference;
    margay.push_back(run.milliseconds);
    kernel.push_back(run.kernel_milliseconds);
    host.push_back(run.host);
    host.back().plan = plan;
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
  result.host = HostCosts::Median(host);
  FindPlace(sql, device_runs, mixed_runs, result);
  result.outcome = BenchmarkResult::Outcome::Compared;
}

void BenchmarkRunner::FindPlace(const std::string& sql, int device_runs, int mixed_runs,
                                BenchmarkResult& result) {
  result.reason = runner_.Reasons(sql);
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

}  // namespace margay::tool
