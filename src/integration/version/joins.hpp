#pragma once

#include "duckdb/planner/operator/logical_comparison_join.hpp"

namespace margay::integration {

//! A condition of a join: a comparison of values of its inputs.
struct JoinComparison {
  duckdb::ExpressionType type;
  const duckdb::Expression& left;   //!< over columns of the left input
  const duckdb::Expression& right;  //!< over columns of the right input
};

//! What the condition of a join compares, if the join has no predicate.
inline JoinComparison ComparisonOf(const duckdb::JoinCondition& condition) {
  return {condition.comparison, *condition.left, *condition.right};
}

//! Whether a join has a condition that is no comparison of its inputs. In 1.5.6 only ASOF joins do.
inline bool HasPredicate(const duckdb::LogicalComparisonJoin& join) {
  return join.predicate != nullptr;
}

}  // namespace margay::integration
