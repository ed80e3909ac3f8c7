#include "turns_runner.hpp"

#include <utility>

#include "process_memory.hpp"
#include "session.hpp"
#include "stopwatch.hpp"

namespace margay::tool {
namespace {

using Outcome = BenchmarkResult::Outcome;

void Differ(TurnsStatementResult& result, const std::string& difference) {
  if (!difference.empty()) {
    result.outcome = Outcome::Different;
    result.reason = difference;
  }
}

}  // namespace

TurnsRunner::TurnsRunner(Session& session, int repeat, int passes, std::string mode,
                         std::function<bool()> stop, ProgressLine& progress)
    : session_(session),
      runner_(session, std::move(mode), std::move(stop)),
      repeat_(repeat),
      passes_(passes),
      progress_(progress) {}

TurnsResult TurnsRunner::Run(const std::vector<BenchmarkQuery>& statements) {
  result_ = {};
  for (const BenchmarkQuery& statement : statements) {
    result_.statements.emplace_back().statement = statement;
  }
  NoteMemory("at the start");
  Expect();
  NoteMemory("after DuckDB's answers");
  WarmUp();
  NoteMemory("after the warm-up");
  RunRepeated();
  RunInTurn();
  NoteMemory("after the passes");
  CountWhatIsCached();
  return std::move(result_);
}

void TurnsRunner::Expect() {
  for (size_t i = 0; i < result_.statements.size(); i++) {
    TurnsStatementResult& result = result_.statements[i];
    progress_.Show("Asking DuckDB", i + 1, result_.statements.size());
    Try(result, [&] { runner_.RunDuckDb(result.statement.sql, &result.answer); });
  }
}

void TurnsRunner::WarmUp() {
  Stopwatch watch;
  for (size_t i = 0; i < result_.statements.size(); i++) {
    TurnsStatementResult& result = result_.statements[i];
    progress_.Show("Warming up", i + 1, result_.statements.size());
    Try(result, [&] { WarmUp(result); });
  }
  result_.warm_up_milliseconds = watch.Milliseconds();
}

void TurnsRunner::WarmUp(TurnsStatementResult& result) {
  const StatementRunner::MargayRun first = runner_.RunMargay(result.statement.sql, *result.answer);
  result.first_milliseconds = first.milliseconds;
  Differ(result, first.difference);
  if (result.IsCompared() && first.duckdb_executions > 0) {
    Differ(result, runner_.WarmUp(result.statement.sql, *result.answer));
  }
}

void TurnsRunner::RunRepeated() {
  for (size_t i = 0; i < result_.statements.size(); i++) {
    TurnsStatementResult& result = result_.statements[i];
    progress_.Show("Repeating", i + 1, result_.statements.size());
    Try(result, [&] {
      std::vector<double> duckdb;
      std::vector<double> margay;
      // The first run of each engine is one after another statement, and does not count.
      runner_.RunDuckDb(result.statement.sql, nullptr);
      for (int run = 0; run < repeat_; run++) {
        duckdb.push_back(runner_.Run(result.statement.sql, nullptr));
      }
      runner_.UseMargay();
      RunMargay(result);
      for (int run = 0; run < repeat_; run++) {
        margay.push_back(RunMargay(result));
      }
      result.duckdb.repeated = Summarize(std::move(duckdb));
      result.margay.repeated = Summarize(std::move(margay));
    });
  }
}

void TurnsRunner::RunInTurn() {
  Times duckdb(result_.statements.size());
  Times margay(result_.statements.size());
  const auto before = session_.Counters();
  for (int pass = 0; pass < passes_; pass++) {
    progress_.Show("Running in turn, pass", static_cast<size_t>(pass) + 1,
                   static_cast<size_t>(passes_));
    runner_.UseMargay();
    Pass(true, margay);
    runner_.UseDuckDb();
    Pass(false, duckdb);
  }
  for (const auto& [name, value] : session_.Counters()) {
    result_.counters[name] = value - before.at(name);
  }
  for (size_t i = 0; i < result_.statements.size(); i++) {
    TurnsStatementResult& result = result_.statements[i];
    if (result.IsCompared()) {
      result.duckdb.in_turn = Summarize(std::move(duckdb[i]));
      result.margay.in_turn = Summarize(std::move(margay[i]));
    }
  }
}

void TurnsRunner::Pass(bool is_margay, Times& times) {
  for (size_t i = 0; i < result_.statements.size(); i++) {
    TurnsStatementResult& result = result_.statements[i];
    Try(result, [&] {
      times[i].push_back(is_margay ? RunMargay(result)
                                   : runner_.Run(result.statement.sql, nullptr));
    });
  }
}

double TurnsRunner::RunMargay(TurnsStatementResult& result) {
  std::optional<Answer> answer;
  const double milliseconds = runner_.Run(result.statement.sql, &answer);
  if (result.IsCompared()) {
    Differ(result, answer->Difference(*result.answer));
  }
  return milliseconds;
}

void TurnsRunner::Try(TurnsStatementResult& result, const std::function<void()>& run) {
  if (!result.IsCompared()) {
    return;
  }
  try {
    run();
  } catch (const SqlError& error) {
    runner_.CheckStop();
    const bool is_refused = error.Kind() == "Not implemented" && result.answer.has_value();
    result.outcome = is_refused ? Outcome::Refused : Outcome::Failed;
    result.reason = WithoutMode(error.Reason());
  }
}

void TurnsRunner::NoteMemory(const std::string& time) {
  result_.memory.push_back({time, ResidentBytes()});
}

void TurnsRunner::CountWhatIsCached() {
  const auto number = [](const Answer& answer, size_t column) {
    return std::stoull(answer.Text(0, column));
  };
  const Answer kernels = session_.Query(
      "SELECT count(*), count(*) FILTER (origin = 'disk'), "
      "coalesce(sum(binary_bytes), 0)::UBIGINT FROM margay_kernels()");
  result_.kernels = number(kernels, 0);
  result_.kernels_from_disk = number(kernels, 1);
  result_.kernel_bytes = number(kernels, 2);
  const Answer cached =
      session_.Query("SELECT count(*), coalesce(sum(bytes), 0)::UBIGINT FROM margay_cache()");
  result_.cached = number(cached, 0);
  result_.cached_bytes = number(cached, 1);
}

}  // namespace margay::tool
