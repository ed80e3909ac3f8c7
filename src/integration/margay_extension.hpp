#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay {

//! Loads Margay into a database. Without effect where it is loaded already. Nothing is read,
//! compiled or opened before a query could use it.
void Register(duckdb::DatabaseInstance& database);

}  // namespace margay
