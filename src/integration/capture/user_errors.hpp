#pragma once

namespace duckdb {
class ClientContext;
class LogicalOperator;
}  // namespace duckdb

namespace margay::integration {

//! Whether an optimized plan holds an expression of constants that has no value, like a cast of 'x'
//! to INTEGER: DuckDB raises the user's error while it runs, unless it never comes to it.
bool HoldsUserError(duckdb::ClientContext& context, duckdb::LogicalOperator& plan);

}  // namespace margay::integration
