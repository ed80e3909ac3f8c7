#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "answer.hpp"
#include "host_costs.hpp"

namespace margay::tool {

class Session;

//! Runs statements in DuckDB and in Margay, on one connection. Calls throw SqlError, also when
//! they are stopped.
class StatementRunner {
 public:
  //! One timed run of Margay, and what its counters say about it.
  struct MargayRun {
    double milliseconds = 0;
    double kernel_milliseconds = 0;
    uint64_t bytes_touched = 0;
    HostCosts host;
    //! Parts of the query that a device answered, and parts that DuckDB answered instead.
    uint64_t device_executions = 0;
    uint64_t duckdb_executions = 0;
    //! The first difference from the answer expected, if any.
    std::string difference;
  };

  //! `mode` is Margay's mode in its runs, "force" or "auto"; `stop` is asked before each run.
  StatementRunner(Session& session, std::string mode, std::function<bool()> stop);

  //! Sets margay_mode for the runs that follow: off, or Margay's mode.
  void UseDuckDb();
  void UseMargay();

  //! Runs `sql` in the mode that is set; `answer` may be null. The time, in milliseconds.
  double Run(const std::string& sql, std::optional<Answer>* answer);

  //! Runs `sql` in DuckDB; `answer` may be null. The time, in milliseconds.
  double RunDuckDb(const std::string& sql, std::optional<Answer>* answer);

  //! How long DuckDB takes to plan `sql`, in milliseconds.
  double Plan(const std::string& sql);

  //! Leaves margay_mode off, unless it throws.
  MargayRun RunMargay(const std::string& sql, const Answer& expected);

  //! Runs until a device answers every part that Margay took over, or no run starts preparations
  //! any more: in auto mode DuckDB answers while they are under way. The first difference from the
  //! answer expected, if any.
  std::string WarmUp(const std::string& sql, const Answer& expected);

  //! Why Margay leaves some part of a statement to DuckDB, or an empty text.
  std::string Reasons(const std::string& sql);

  //! Throws where the runs are to end.
  void CheckStop() const;

 private:
  Session& session_;
  std::string mode_;
  std::function<bool()> stop_;
};

}  // namespace margay::tool
