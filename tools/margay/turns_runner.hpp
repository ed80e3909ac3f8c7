#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "progress_line.hpp"
#include "statement_runner.hpp"
#include "turns_result.hpp"

namespace margay::tool {

class Session;

//! Measures statements in turn, as an application runs them, and each of them repeated, on one
//! connection. Every answer of Margay is compared with DuckDB's first one. A statement that
//! differs, fails or is refused takes part in nothing that follows.
class TurnsRunner {
 public:
  //! `repeat` is the number of repeated runs of each statement in each engine, `passes` that of the
  //! runs in turn; the rest is as for StatementRunner.
  TurnsRunner(Session& session, int repeat, int passes, std::string mode,
              std::function<bool()> stop, ProgressLine& progress);

  //! Throws SqlError where it was stopped.
  TurnsResult Run(const std::vector<BenchmarkQuery>& statements);

 private:
  using Times = std::vector<std::vector<double>>;

  //! Asks DuckDB for its answers.
  void Expect();
  //! Runs each statement until it is ready on a device.
  void WarmUp();
  void WarmUp(TurnsStatementResult& result);
  void RunRepeated();
  void RunInTurn();
  //! Runs each statement once, one after the other, in one of the engines, and adds the times.
  void Pass(bool is_margay, Times& times);
  //! The time of a run of Margay, whose answer is compared.
  double RunMargay(TurnsStatementResult& result);
  //! Calls `run` for a statement that has been compared so far, and notes its errors.
  void Try(TurnsStatementResult& result, const std::function<void()>& run);
  void NoteMemory(const std::string& time);
  void CountWhatIsCached();

  Session& session_;
  StatementRunner runner_;
  int repeat_;
  int passes_;
  ProgressLine& progress_;
  TurnsResult result_;
};

}  // namespace margay::tool
