#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

#include "integration/image/read_control.hpp"
#include "storage/parallel_for.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! Calls one function from several of DuckDB's threads and the caller's. Exceptions keep their
//! type, which DuckDB's tasks would lose.
class Team {
 public:
  explicit Team(duckdb::ClientContext& context) : context_(context) {}

  //! Calls `work` from up to `largest` threads, and returns when all calls have. Throws what the
  //! first one threw that failed.
  void Run(size_t largest, const std::function<void()>& work);

  //! One of the calls has failed: the others should end.
  bool HasFailed() const { return has_failed_; }

  //! Notes what is being thrown, for Run().
  void Fail();

 private:
  duckdb::ClientContext& context_;
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

//! Lets storage work with all of DuckDB's threads. Both arguments must outlive what is returned.
storage::ParallelFor TeamFor(duckdb::ClientContext& context, const ReadControl& control);

}  // namespace margay::integration
