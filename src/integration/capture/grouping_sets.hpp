#pragma once

#include <vector>

#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "integration/capture/relation.hpp"
#include "optimize/rewrite/distinct_aggregates.hpp"

namespace margay::integration {

//! Each set has kernels of its own, which would take too long to compile for more.
inline constexpr size_t kMostGroupingSets = 32;

//! Whether the groups of `op` are more than those of all of its keys together.
bool HasGroupingSets(const duckdb::LogicalAggregate& op);

//! Adds the calls of GROUPING() of `op` to `relation`, its groups by all of its keys: no key is
//! missing, so that they are all 0.
void AddGroupingCalls(const duckdb::LogicalAggregate& op, Relation& relation);

//! The groups of all grouping sets of `op` over `input`: its keys `groups`, NULL in sets without
//! them, its `aggregates`, and its calls of GROUPING().
plan::NodePointer GroupBySets(const duckdb::LogicalAggregate& op, const plan::NodePointer& input,
                              const std::vector<plan::ExpressionPointer>& groups,
                              const optimize::DistinctAggregates& aggregates);

}  // namespace margay::integration
