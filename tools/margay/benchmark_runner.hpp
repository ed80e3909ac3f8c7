#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "answer.hpp"
#include "cold_runs.hpp"
#include "host_costs.hpp"
#include "statement_runner.hpp"

namespace margay::tool {

class Session;

struct BenchmarkQuery {
  //! In its benchmark: "6", "2.1".
  std::string name;
  std::string sql;
};

//! Times of several runs of the same statement.
struct Timing {
  double median_milliseconds = 0;
  double best_milliseconds = 0;
};

//! The bare reason of a refusal, from the reason of its error.
std::string WithoutMode(const std::string& reason);

//! Of an unsorted list with at least one time.
Timing Summarize(std::vector<double> milliseconds);

//! Of a list with at least one value, all of them positive.
double GeometricMean(const std::vector<double>& values);

//! What happened to one query.
struct BenchmarkResult {
  enum class Outcome {
    Compared,   //!< both ran, and the answers agree
    Refused,    //!< Margay does not run this query on the device; `reason` says why
    Different,  //!< both ran, and `reason` is the first difference
    Failed,     //!< one of them failed; `reason` is the error
  };

  //! Who ran the query in the hot runs of Margay.
  enum class Place {
    Device,  //!< a device ran all parts over table data, in every run
    Both,    //!< a device ran some parts, or some runs
    DuckDb,
  };

  std::string query;
  Outcome outcome = Outcome::Failed;
  //! Of a query that was compared: why the device did not run all of it, where it did not.
  std::string reason;
  //! DuckDB's answer, where it gave one.
  std::optional<Answer> answer;

  //! Valid for Compared and Refused.
  Timing duckdb;

  //! The rest is valid for Compared only.
  Timing margay;
  //! Margay's first run: encoding the columns, compiling, running.
  double first_milliseconds = 0;
  //! Where they were asked for.
  std::optional<ColdTimes> cold;
  //! Per hot run, the median of them.
  double kernel_milliseconds = 0;
  uint64_t bytes_touched = 0;
  HostCosts host;
  Place place = Place::DuckDb;

  bool IsCompared() const { return outcome == Outcome::Compared; }
  //! Nothing failed, and no answer differed.
  bool IsGood() const { return IsCompared() || outcome == Outcome::Refused; }
  bool IsOnDevice() const { return IsCompared() && place == Place::Device; }
  bool HasDuckDbTime() const { return IsCompared() || outcome == Outcome::Refused; }
  //! How many times faster Margay is.
  double Ratio() const { return duckdb.median_milliseconds / margay.median_milliseconds; }
};

//! Measures queries in DuckDB and in Margay, in one process and on one connection: both run once,
//! Margay until all that it prepares in the background is ready, and then both in turn, so that a
//! change in the machine's speed hits both. Every answer of Margay is compared with DuckDB's first
//! one. A query that Margay refuses is measured in DuckDB alone.
class BenchmarkRunner {
 public:
  //! `mode` is Margay's mode in its runs, "force" or "auto"; `stop` is asked between runs.
  BenchmarkRunner(Session& session, int repeat, std::string mode, std::function<bool()> stop);

  //! Never throws for a query that fails. A run that `stop` ended has Failed as outcome.
  BenchmarkResult Run(const BenchmarkQuery& query);

 private:
  void RunAll(const std::string& sql, BenchmarkResult& result);
  //! Says where hot runs took place; `device_runs` are those in which a device ran every part that
  //! Margay took over, `mixed_runs` those in which it ran some.
  void FindPlace(const std::string& sql, int device_runs, int mixed_runs, BenchmarkResult& result);

  StatementRunner runner_;
  int repeat_;
};

}  // namespace margay::tool
