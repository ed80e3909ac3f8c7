#pragma once

#include <optional>

#include "duckdb/common/typedefs.hpp"

namespace duckdb {
class AttachedDatabase;
class ClientContext;
class DataTable;
}  // namespace duckdb

namespace margay::integration {

//! A moment of a database: a transaction sees what was committed before the moment it started at.
//! Moments of one database can be compared; 0 is before all of them.
using Moment = duckdb::transaction_t;

//! The moment whose data the active transaction of `context` sees. Begins a transaction on
//! `database`, which is one of DuckDB's own, unless it is in one.
Moment SnapshotOf(duckdb::ClientContext& context, duckdb::AttachedDatabase& database);

//! Whether the active transaction of `context` has changed `database`.
bool HasOwnChanges(duckdb::ClientContext& context, duckdb::AttachedDatabase& database);

//! Whether the active transaction of `context` has added rows to `table`.
bool HasOwnRows(duckdb::ClientContext& context, duckdb::DataTable& table);

//! The moment of the last commit; none where the database is not one of DuckDB's own.
std::optional<Moment> LastCommitOf(duckdb::AttachedDatabase& database);

}  // namespace margay::integration
