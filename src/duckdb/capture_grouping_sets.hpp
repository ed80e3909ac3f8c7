#pragma once

#include <vector>

#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "plan/node.hpp"

namespace margay::integration {

//! Each set has kernels of its own, which would take too long to compile for more.
inline constexpr size_t kMostGroupingSets = 32;

//! Whether the groups of `op` are more than those of all of its keys together, or it asks for
//! GROUPING().
bool HasGroupingSets(const duckdb::LogicalAggregate& op);

//! The groups of all grouping sets of `op` over `input`: its keys `groups`, NULL in sets without
//! them, its `aggregates`, and its calls of GROUPING().
plan::NodePointer GroupBySets(const duckdb::LogicalAggregate& op, const plan::NodePointer& input,
                              const std::vector<plan::ExpressionPointer>& groups,
                              const std::vector<plan::Aggregate>& aggregates);

}  // namespace margay::integration
