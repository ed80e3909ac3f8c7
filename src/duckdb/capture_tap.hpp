#pragma once

#include <optional>

#include "duckdb/capture_relation.hpp"

namespace margay::integration {

//! The rows of `op`, which is not captured itself, as those of the tap with that number. Columns
//! whose types no device has are refused where they are used.
Relation MakeTap(duckdb::LogicalOperator& op, size_t number);

//! The number of the tap that `relation` is nothing but filters and projections of: nothing that a
//! device should do.
std::optional<size_t> BareTap(const Relation& relation);

//! Whether `op` or an operator below is of that type.
bool ContainsType(const duckdb::LogicalOperator& op, duckdb::LogicalOperatorType type);

//! The numbers of the CTEs that operators of `op` read, but that are not defined there.
std::vector<duckdb::idx_t> OuterCommonTables(const duckdb::LogicalOperator& op);

}  // namespace margay::integration
