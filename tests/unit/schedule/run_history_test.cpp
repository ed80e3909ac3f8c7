// Whether looking few rows up instead of scanning is worth it.
#include "schedule/run_history.hpp"

#include <gtest/gtest.h>

namespace margay::schedule {
namespace {

constexpr uint64_t kSparedRows = 1000;
constexpr uint64_t kRows = 200;
constexpr double kSlow = 8.1 * (kSparedRows + kRows);
constexpr double kFast = 7.9 * (kSparedRows + kRows);

TEST(RunHistory, TwoSlowRunsInARowTellThatAnEstimateWasWrong) {
  RunHistory history(kSparedRows);
  history.Add(kSlow, kRows);
  EXPECT_FALSE(history.EstimatedWrong()) << "one run may be slow for other reasons";
  history.Add(kFast, kRows);
  history.Add(kSlow, kRows);
  EXPECT_FALSE(history.EstimatedWrong());
  history.Add(kSlow, kRows);
  EXPECT_TRUE(history.EstimatedWrong());
}

TEST(RunHistory, AProgramThatSparesNothingIsNeverWrong) {
  RunHistory history(0);
  for (int i = 0; i < 3; i++)
    history.Add(1e12, kRows);
  EXPECT_FALSE(history.EstimatedWrong());
}

}  // namespace
}  // namespace margay::schedule
