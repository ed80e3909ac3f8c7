#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay::integration {

//! Lets DuckDB's optimizer pass every plan on at its end: what FindParts() finds in it becomes
//! operators of Margay's (see operator/logical_part.hpp).
void RegisterOptimizerHook(duckdb::DatabaseInstance& database);

}  // namespace margay::integration
