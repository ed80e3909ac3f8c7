#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "duckdb/common/shared_ptr.hpp"
#include "execute/part.hpp"
#include "integration/capture/captured_part.hpp"
#include "integration/settings.hpp"

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay::integration {

//! What a part needs to run on a device.
struct BuildJob {
  std::shared_ptr<const CapturedPart> part;
  Settings settings;
  //! A part that only waits for its kernel to be compiled; none where the image has to be made
  //! first.
  std::shared_ptr<const execute::Part> made;

  //! What a job is told from others by. Holds no data.
  struct Identity {
    //! A table, by its place in the catalog.
    struct Table {
      std::string catalog;
      duckdb::idx_t oid = 0;
      bool operator==(const Table&) const = default;
    };

    std::vector<Table> tables;  //!< of the scans, but for taps
    std::string device;
    std::optional<optimize::Shape> shape;
    std::optional<optimize::JoinMethod> join_method;
    plan::NodePointer plan;
    bool only_compiles = false;

    bool operator==(const Identity& other) const;
  };
  Identity GetIdentity() const;
};

//! Makes parts ready to run on a device while DuckDB answers: opens the device, encodes columns and
//! compiles kernels, in one thread per database instance and in transactions of its own. It never
//! evaluates dictionary functions, which belong to the connection that planned them: parts with
//! such functions are made by their query, and compiled here.
//!
//! Life of the thread and of the instance:
//!   - The thread starts with the first job. It owns the queue together with this object, and
//!     holds the instance itself only while it runs a job (weak_ptr).
//!   - A connection that closes as the last one ends the running job and waits for that, so that
//!     the instance is not kept alive behind its user's back: a file could be opened again while
//!     the old instance still writes its checkpoint. Jobs use a client context that is not
//!     registered as a connection, so this wait can't meet DuckDB's lock on the connections.
//!   - Should the job's reference still be the last one, because the instance was given up without
//!     closing a connection, the job finds itself alone with it, stops, and the instance is
//!     destroyed by this thread. Its destruction reaches this object's destructor, which then can't
//!     join the thread it runs on, and lets it end by itself.
//!   - At the exit of the process a job that still runs is ended before OpenCL runtimes go away.
//!
//! Thread-safe.
class BackgroundBuilder {
 public:
  explicit BackgroundBuilder(duckdb::DatabaseInstance& database);
  ~BackgroundBuilder();
  BackgroundBuilder(const BackgroundBuilder&) = delete;
  BackgroundBuilder& operator=(const BackgroundBuilder&) = delete;

  //! Lets connections of the database end background work as they close; see above.
  static void Register(duckdb::DatabaseInstance& database);

  //! Starts a job, unless the same one is waiting or running, or failed not long ago.
  void Start(BuildJob job);

  //! Why the same job failed the last time, as long as it is not tried again; else empty.
  std::string Problem(const BuildJob& job) const;

  //! Notes that the job can't be done, as if it had been tried: what was found out elsewhere.
  void NoteProblem(const BuildJob& job, const std::string& reason);

  //! Drops the jobs that wait, ends the one that runs, and waits for that.
  void Cancel() noexcept;

  //! Waits until there is nothing to do. For tests and benchmarks.
  void WaitUntilIdle();

  //! Forgets failures, so that jobs are tried again.
  void ForgetProblems();

 private:
  struct Queue;

  static void Work(const std::shared_ptr<Queue>& queue);

  const std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace margay::integration
