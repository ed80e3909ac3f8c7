#pragma once

#include <vector>

#include "duckdb/capture_relation.hpp"
#include "duckdb/planner/operator/logical_comparison_join.hpp"

namespace margay::integration {

//! The conditions of `join`, all of them equalities, as keys of a join that probes with `left`.
Reason CaptureKeys(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                   const Relation& left, const Relation& right, std::vector<plan::JoinKey>& keys);

//! Each makes node and scope of `result`, the join of `left` and `right` by equalities.
Reason AddMarkJoin(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                   const Relation& left, const Relation& right, Relation& result);
Reason AddSingleJoin(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                     const Relation& left, const Relation& right, Relation& result);

}  // namespace margay::integration
