#include "integration/image/snapshot_tracker.hpp"

#include <algorithm>
#include <optional>

#include "duckdb/main/client_context.hpp"
#include "duckdb/main/client_context_state.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/connection_manager.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/planner/extension_callback.hpp"

namespace margay::integration {
namespace {

constexpr const char* kStateName = "margay";

//! Follows connections that are opened after Margay was loaded.
class OpenedConnections : public duckdb::ExtensionCallback {
 public:
  explicit OpenedConnections(std::shared_ptr<SnapshotTracker> tracker)
      : tracker_(std::move(tracker)) {}

  void OnConnectionOpened(duckdb::ClientContext& context) override {
    tracker_->Follow(context, true);
  }

 private:
  const std::shared_ptr<SnapshotTracker> tracker_;
};

}  // namespace

//! Passes the callbacks of one connection on to the tracker.
class ConnectionState : public duckdb::ClientContextState {
 public:
  ConnectionState(std::shared_ptr<SnapshotTracker> tracker, duckdb::ClientContext& context,
                  bool is_new)
      : tracker_(std::move(tracker)), place_(tracker_->Add(context, is_new)) {}
  ~ConnectionState() override { tracker_->Remove(place_); }

  //! `is_active`: the connection is in a transaction whose begin may have been missed.
  void Settle(bool is_active) {
    if (!is_active) {
      std::lock_guard<std::mutex> guard(tracker_->mutex_);
      place_->is_unknown = false;
    }
  }

  void QueryBegin(duckdb::ClientContext&) override { tracker_->SetBusy(place_, true); }
  void QueryEnd(duckdb::ClientContext&) override { tracker_->SetBusy(place_, false); }
  void TransactionBegin(duckdb::MetaTransaction& transaction, duckdb::ClientContext&) override {
    tracker_->Begin(place_, transaction);
  }
  void TransactionCommit(duckdb::MetaTransaction& transaction, duckdb::ClientContext&) override {
    tracker_->End(place_, transaction);
  }
  void TransactionRollback(duckdb::MetaTransaction& transaction, duckdb::ClientContext&) override {
    tracker_->End(place_, transaction);
  }

 private:
  const std::shared_ptr<SnapshotTracker> tracker_;
  const SnapshotTracker::Place place_;
};

SnapshotTracker::SnapshotTracker() = default;
SnapshotTracker::~SnapshotTracker() = default;

void SnapshotTracker::Register(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionCallback::Register(
      duckdb::DBConfig::GetConfig(database),
      duckdb::make_shared_ptr<OpenedConnections>(shared_from_this()));
  for (auto& context : duckdb::ConnectionManager::Get(database).GetConnectionList()) {
    Follow(*context, false);
  }
}

void SnapshotTracker::Follow(duckdb::ClientContext& context, bool is_new) {
  try {
    auto state = duckdb::make_shared_ptr<ConnectionState>(shared_from_this(), context, is_new);
    context.registered_state->Insert(kStateName, state);
    if (!is_new) {
      // In this order: a transaction that begins after the insertion calls back, and one that began
      // before it is seen here, because both pass the lock of the registered states.
      state->Settle(context.transaction.HasActiveTransaction());
    }
  } catch (...) {
    has_failed_ = true;
  }
}

SnapshotTracker::Place SnapshotTracker::Add(duckdb::ClientContext& context, bool is_new) {
  std::lock_guard<std::mutex> guard(mutex_);
  Connection connection;
  connection.context = &context;
  connection.is_busy = !is_new;
  connection.is_unknown = !is_new;
  return connections_.insert(connections_.end(), connection);
}

void SnapshotTracker::Remove(Place place) {
  std::lock_guard<std::mutex> guard(mutex_);
  connections_.erase(place);
}

void SnapshotTracker::SetBusy(Place place, bool is_busy) {
  std::lock_guard<std::mutex> guard(mutex_);
  place->is_busy = is_busy;
}

void SnapshotTracker::Begin(Place place, duckdb::MetaTransaction& transaction) {
  std::lock_guard<std::mutex> guard(mutex_);
  place->transaction = &transaction;
  place->is_busy = true;
  place->is_unknown = false;
}

void SnapshotTracker::End(Place place, duckdb::MetaTransaction& transaction) {
  std::lock_guard<std::mutex> guard(mutex_);
  auto database = transaction.ModifiedDatabase();
  if (database) {
    RecordWrite(*database);
  }
  place->transaction = nullptr;
  place->is_unknown = false;
}

void SnapshotTracker::RecordWrite(duckdb::AttachedDatabase& database) {
  try {
    const std::optional<Moment> commit = LastCommitOf(database);
    if (!commit) {
      return;
    }
    std::erase_if(last_writes_, [](const auto& other) { return other.second.database.expired(); });
    auto& entry = last_writes_[&database];
    if (entry.database.expired()) {
      entry.database = database.shared_from_this();
      entry.commit = 0;
    }
    entry.commit = std::max(entry.commit, *commit);
  } catch (...) {
    has_failed_ = true;
  }
}

Validity SnapshotTracker::Check(duckdb::ClientContext& reader, duckdb::AttachedDatabase& database,
                                Moment built_at) {
  if (HasOwnChanges(reader, database)) {
    return Validity::OwnChanges;
  }
  const Moment read_at = SnapshotOf(reader, database);
  std::lock_guard<std::mutex> guard(mutex_);
  if (has_failed_) {
    return Validity::BusyWriter;
  }
  auto entry = last_writes_.find(&database);
  if (entry != last_writes_.end() && !entry->second.database.expired() &&
      entry->second.commit >= std::min(built_at, read_at)) {
    return Validity::WrittenSince;
  }
  for (const auto& connection : connections_) {
    if (connection.context == &reader) {
      continue;
    }
    if (connection.is_unknown) {
      return Validity::BusyWriter;
    }
    if (connection.transaction != nullptr && connection.is_busy &&
        connection.transaction->ModifiedDatabase().get() == &database) {
      return Validity::BusyWriter;
    }
  }
  return Validity::Valid;
}

}  // namespace margay::integration
