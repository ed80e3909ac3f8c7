#pragma once

#include <vector>

#include "integration/capture/relation.hpp"
#include "integration/version/joins.hpp"

namespace margay::integration {

//! The equalities among the conditions of `join`, as keys of a join that probes with `left`.
Reason CaptureKeys(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                   const Relation& left, const Relation& right, std::vector<plan::JoinKey>& keys);

//! Equalities of all columns of `left` and `right`, by their places, in which NULLs are equal.
Reason CaptureColumnKeys(duckdb::ClientContext& context, const Relation& left,
                         const Relation& right, std::vector<plan::JoinKey>& keys);

//! Makes node and scope of `result`, the INTERSECT or EXCEPT of `left` and `right`. Without ALL
//! rows may come several times: DuckDB has a DISTINCT above.
Reason AddSetJoin(duckdb::ClientContext& context, const duckdb::LogicalOperator& op,
                  const Relation& left, const Relation& right, Relation& result);

//! Each makes node and scope of `result`, the join of `left` and `right`. A MARK join may have one
//! condition that is no equality.
Reason AddMarkJoin(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                   const Relation& left, const Relation& right, Relation& result);
Reason AddSingleJoin(duckdb::ClientContext& context, const duckdb::LogicalComparisonJoin& join,
                     const Relation& left, const Relation& right, Relation& result);

}  // namespace margay::integration
