#include "duckdb/capture_scope.hpp"

#include "duckdb/planner/expression/bound_columnref_expression.hpp"

namespace margay::integration {

bool IsColumnReference(const duckdb::Expression& expression) {
  return expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF;
}

const CapturedBinding* CaptureScope::Find(const duckdb::Expression& column_reference) const {
  const auto& reference = column_reference.Cast<duckdb::BoundColumnRefExpression>();
  if (reference.depth != 0) {
    return nullptr;
  }
  for (const CapturedBinding& candidate : bindings) {
    if (candidate.binding == reference.binding) {
      return &candidate;
    }
  }
  return nullptr;
}

}  // namespace margay::integration
