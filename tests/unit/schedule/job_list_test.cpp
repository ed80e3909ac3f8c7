// Background work, with made-up jobs and times.
#include "schedule/job_list.hpp"

#include <gtest/gtest.h>

namespace margay::schedule {
namespace {

using std::chrono::seconds;

struct NamedJob {
  std::string name;
  int data = 0;  //!< does not tell jobs apart

  std::string GetIdentity() const { return name; }
};

using Jobs = JobList<NamedJob>;

constexpr Jobs::Moment kNow{seconds(1000)};

TEST(JobList, GivesJobsInTheirOrder) {
  Jobs jobs;
  EXPECT_TRUE(jobs.Add({"a"}, kNow));
  EXPECT_TRUE(jobs.Add({"b"}, kNow));
  EXPECT_EQ(jobs.Start().name, "a");
  EXPECT_TRUE(jobs.IsRunning());
  jobs.Finish("", kNow);
  EXPECT_FALSE(jobs.IsRunning());
  EXPECT_EQ(jobs.Start().name, "b");
  EXPECT_TRUE(jobs.IsEmpty());
}

TEST(JobList, TakesAJobOnceUntilItIsDone) {
  Jobs jobs;
  EXPECT_TRUE(jobs.Add({"a", 1}, kNow));
  EXPECT_FALSE(jobs.Add({"a", 2}, kNow));
  EXPECT_EQ(jobs.Start().data, 1);
  EXPECT_FALSE(jobs.Add({"a"}, kNow)) << "it runs";
  jobs.Finish("", kNow);
  EXPECT_TRUE(jobs.Add({"a"}, kNow));
}

TEST(JobList, RestsAfterAFailure) {
  Jobs jobs;
  jobs.Add({"a"}, kNow);
  jobs.Start();
  jobs.Finish("no memory", kNow);
  EXPECT_EQ(jobs.Problem("a", kNow), "no memory");
  EXPECT_EQ(jobs.Problem("b", kNow), "");
  EXPECT_FALSE(jobs.Add({"a"}, kNow + seconds(9)));
  EXPECT_TRUE(jobs.Add({"b"}, kNow));
  EXPECT_EQ(jobs.Problem("a", kNow + seconds(11)), "");
  EXPECT_TRUE(jobs.Add({"a"}, kNow + seconds(11)));
}

TEST(JobList, ForgetsAFailureAfterASuccess) {
  Jobs jobs;
  jobs.Add({"a"}, kNow);
  jobs.Start();
  jobs.NoteProblem("a", "found out elsewhere", kNow);
  EXPECT_EQ(jobs.Problem("a", kNow), "found out elsewhere");
  jobs.Finish("", kNow);
  EXPECT_EQ(jobs.Problem("a", kNow), "");
  jobs.NoteProblem("a", "once more", kNow);
  jobs.ForgetProblems();
  EXPECT_TRUE(jobs.Add({"a"}, kNow));
}

TEST(JobList, TakesNoMoreThanItCanHold) {
  Jobs jobs;
  int taken = 0;
  while (jobs.Add({std::to_string(taken)}, kNow))
    taken++;
  EXPECT_EQ(taken, 64);
  jobs.Clear();
  EXPECT_TRUE(jobs.Add({"a"}, kNow));
}

}  // namespace
}  // namespace margay::schedule
