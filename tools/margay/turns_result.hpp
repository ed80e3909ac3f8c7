#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answer.hpp"
#include "benchmark_runner.hpp"

namespace margay::tool {

//! The times of one statement in one engine.
struct TurnsTimes {
  //! Each right after a run of the same statement.
  Timing repeated;
  //! Each after runs of all other statements.
  Timing in_turn;

  double Growth() const { return in_turn.median_milliseconds / repeated.median_milliseconds; }
};

//! What happened to one statement of the benchmark "turns".
struct TurnsStatementResult {
  BenchmarkQuery statement;
  BenchmarkResult::Outcome outcome = BenchmarkResult::Outcome::Compared;
  //! Of a statement that was not compared: why.
  std::string reason;
  //! DuckDB's, where it gave one.
  std::optional<Answer> answer;

  //! The rest is valid for Compared only.
  TurnsTimes duckdb;
  TurnsTimes margay;
  //! Margay's first run: encoding the columns, compiling, running.
  double first_milliseconds = 0;

  bool IsCompared() const { return outcome == BenchmarkResult::Outcome::Compared; }
  //! Nothing failed, and no answer differed.
  bool IsGood() const { return IsCompared() || outcome == BenchmarkResult::Outcome::Refused; }
  //! How many times faster Margay is in turn.
  double Ratio() const {
    return duckdb.in_turn.median_milliseconds / margay.in_turn.median_milliseconds;
  }
};

//! What happened in one run of the benchmark "turns".
struct TurnsResult {
  //! The memory of the process at one time.
  struct Memory {
    std::string time;
    uint64_t resident_bytes = 0;
  };

  std::vector<TurnsStatementResult> statements;
  //! From the start to the end.
  std::vector<Memory> memory;
  //! The time of the whole warm-up.
  double warm_up_milliseconds = 0;
  //! What Margay's counters grew by in the passes.
  std::map<std::string, uint64_t> counters;
  //! At the end, in memory: kernels, those of them that came from the disk, and the size of their
  //! binaries; columns and join tables, and their bytes.
  uint64_t kernels = 0;
  uint64_t kernels_from_disk = 0;
  uint64_t kernel_bytes = 0;
  uint64_t cached = 0;
  uint64_t cached_bytes = 0;
};

}  // namespace margay::tool
