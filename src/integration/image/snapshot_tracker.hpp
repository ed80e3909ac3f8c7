#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "duckdb/main/attached_database.hpp"
#include "duckdb/transaction/meta_transaction.hpp"
#include "integration/image/validity.hpp"
#include "integration/version/transactions.hpp"

namespace duckdb {
class ClientContext;
class DatabaseInstance;
}  // namespace duckdb

namespace margay::integration {

//! Decides whether copies of table data are valid for a reader's snapshot, for all databases of one
//! instance.
//!
//! DuckDB keeps no version of a table that could be compared, so this follows the transactions of
//! all connections. Callbacks of a commit come after the commit, so that a commit may be visible
//! before its callback: a transaction that has modified a database is a threat while a statement of
//! it runs (BUSY), from before its commit until the callback has recorded it. The rules:
//!
//!   - TransactionBegin and QueryBegin make a connection BUSY, QueryEnd makes it IDLE.
//!   - The end of a transaction with changes, committed or not, raises `last_write` of its database
//!     to the last commit. (Where one of several databases fails to commit, the others have
//!     committed, and only TransactionRollback is called.)
//!   - A copy of snapshot b is valid for a reader of snapshot r iff the reader has made no changes,
//!     last_write < min(b, r), and no other BUSY transaction has modified the database.
//!
//! Connections that were in a transaction when they were first followed count as BUSY writers of
//! every database until that transaction ends. Temporary databases pass no such callbacks: don't
//! ask for them.
//!
//! Thread-safe. Callbacks never throw: that would invalidate the whole instance. Should one fail
//! for lack of memory, no copy is valid any more.
class SnapshotTracker : public std::enable_shared_from_this<SnapshotTracker> {
 public:
  SnapshotTracker();
  ~SnapshotTracker();
  SnapshotTracker(const SnapshotTracker&) = delete;
  SnapshotTracker& operator=(const SnapshotTracker&) = delete;

  //! Follows all connections of the instance, those that are open and those to come.
  void Register(duckdb::DatabaseInstance& database);

  //! Follows a connection; `is_new` where it has not run anything yet.
  void Follow(duckdb::ClientContext& context, bool is_new);

  //! Whether a copy of data of `database` that was read at the snapshot `built_at` is valid for the
  //! active transaction of `reader`. The copied table must still be the same DataTable object.
  Validity Check(duckdb::ClientContext& reader, duckdb::AttachedDatabase& database,
                 Moment built_at);

 private:
  friend class ConnectionState;

  //! The transaction of one connection, as the callbacks told it. Guarded by mutex_.
  struct Connection {
    duckdb::ClientContext* context = nullptr;
    duckdb::MetaTransaction* transaction = nullptr;
    bool is_busy = true;
    //! In a transaction of which neither the begin nor the end was seen.
    bool is_unknown = true;
  };
  using Place = std::list<Connection>::iterator;

  //! When a database was last written. `database` tells whether the address still means the same
  //! one: another may be attached at the same address later.
  struct LastWrite {
    duckdb::weak_ptr<duckdb::AttachedDatabase> database;
    Moment commit = 0;
  };

  Place Add(duckdb::ClientContext& context, bool is_new);
  void Remove(Place place);
  void SetBusy(Place place, bool is_busy);
  void Begin(Place place, duckdb::MetaTransaction& transaction);
  void End(Place place, duckdb::MetaTransaction& transaction);
  void RecordWrite(duckdb::AttachedDatabase& database);

  std::mutex mutex_;
  std::list<Connection> connections_;
  std::unordered_map<const duckdb::AttachedDatabase*, LastWrite> last_writes_;
  //! A callback could not do its work: nothing is known any more.
  std::atomic<bool> has_failed_{false};
};

}  // namespace margay::integration
