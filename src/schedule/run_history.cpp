#include "schedule/run_history.hpp"

namespace margay::schedule {

namespace {

//! What a slow scan takes, in nanoseconds per row and compute unit. A program that spares it takes
//! a quarter of that on two cores (TPC-H's Q5 at scale 10, the slowest of its kind: 58 ms for 60 M
//! rows).
constexpr double kSlowScan = 8;

//! One run alone may be slow because memory is new, or others use the machine.
constexpr uint32_t kMostSlowRuns = 2;

}  // namespace

void RunHistory::Add(double nanoseconds, uint64_t rows) {
  const bool is_slow =
      spared_rows_ != 0 && nanoseconds > kSlowScan * static_cast<double>(spared_rows_ + rows);
  slow_runs_ = is_slow ? slow_runs_ + 1 : 0;
}

bool RunHistory::EstimatedWrong() const {
  return slow_runs_ >= kMostSlowRuns;
}

}  // namespace margay::schedule
