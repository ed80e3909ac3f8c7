#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay::integration {

//! Adds margay_program('SELECT ...') to a database: the physical program of each part of a query,
//! and for what stays with DuckDB the reason. The query is planned, but neither run nor encoded
//! for: a part whose images are not there is lowered over what DuckDB's statistics tell.
void RegisterProgramFunction(duckdb::DatabaseInstance& database);

}  // namespace margay::integration
