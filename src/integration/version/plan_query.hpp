#pragma once

#include <string>

#include "duckdb/planner/logical_operator.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! The optimized plan of `query`, one SELECT, in the active transaction of `context`, as DuckDB
//! would execute it there. Throws DuckDB's own errors, and an InvalidInputException where the query
//! is something else.
duckdb::unique_ptr<duckdb::LogicalOperator> PlanQuery(duckdb::ClientContext& context,
                                                      const std::string& query);

}  // namespace margay::integration
