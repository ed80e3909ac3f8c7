#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace margay::schedule {

//! Work to be done in the background, first come, first served: each job once, one at a time, and
//! one that failed not again for a while. A `Job` has a GetIdentity(), a value that is equal for
//! jobs that do the same and that outlives it: it holds no data. Knows no threads and no clock; not
//! thread-safe.
template <typename Job>
class JobList {
 public:
  using Identity = decltype(std::declval<const Job&>().GetIdentity());
  using Moment = std::chrono::steady_clock::time_point;

  //! Adds a job, unless the same one waits or runs, or failed not long ago. Whether it did.
  bool Add(Job job, Moment now) {
    std::erase_if(failures_, [&](const Failure& failure) { return now >= failure.retry_at; });
    const Identity identity = job.GetIdentity();
    const bool is_waiting = std::any_of(waiting_.begin(), waiting_.end(), [&](const Job& other) {
      return other.GetIdentity() == identity;
    });
    if (is_waiting || running_ == identity || waiting_.size() >= kMostJobs ||
        Find(identity) != nullptr)
      return false;
    waiting_.push_back(std::move(job));
    return true;
  }

  bool IsEmpty() const { return waiting_.empty(); }
  bool IsRunning() const { return running_.has_value(); }

  //! The job that is to be done now; it runs until Finish(). There must be one, and none may run.
  Job Start() {
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = job.GetIdentity();
    return job;
  }

  //! The running job is done, or, with a `problem`, could not be.
  void Finish(const std::string& problem, Moment now) {
    const Identity identity = std::move(*running_);
    running_.reset();
    if (problem.empty())
      Forget(identity);
    else
      NoteProblem(identity, problem, now);
  }

  //! The same for a job that was never added: what was found out elsewhere.
  void NoteProblem(const Identity& job, const std::string& problem, Moment now) {
    Forget(job);
    failures_.push_back({job, problem, now + kRestAfterFailure});
  }

  //! Why a job failed the last time, as long as it is not tried again; else empty.
  std::string Problem(const Identity& job, Moment now) const {
    const Failure* failure = Find(job);
    return failure != nullptr && now < failure->retry_at ? failure->problem : std::string();
  }

  //! Drops the jobs that wait.
  void Clear() { waiting_.clear(); }
  //! Forgets failures, so that jobs are tried again.
  void ForgetProblems() { failures_.clear(); }

 private:
  struct Failure {
    Identity job;
    std::string problem;
    Moment retry_at;
  };

  //! More waiting jobs than this are not taken: the queries will come back.
  static constexpr size_t kMostJobs = 64;
  //! A failed job is not tried again sooner: memory is short for a while, and other failures last.
  static constexpr auto kRestAfterFailure = std::chrono::seconds(10);

  const Failure* Find(const Identity& job) const {
    const auto found = std::find_if(failures_.begin(), failures_.end(),
                                    [&](const Failure& failure) { return failure.job == job; });
    return found == failures_.end() ? nullptr : &*found;
  }

  void Forget(const Identity& job) {
    std::erase_if(failures_, [&](const Failure& failure) { return failure.job == job; });
  }

  std::deque<Job> waiting_;
  std::optional<Identity> running_;
  std::vector<Failure> failures_;
};

}  // namespace margay::schedule
