#include "integration/capture/scope.hpp"

#include "integration/version/expressions.hpp"

namespace margay::integration {

bool IsColumnReference(const duckdb::Expression& expression) {
  return KindOf(expression) == ExpressionKind::Column;
}

const CapturedBinding* CaptureScope::Find(const duckdb::Expression& column_reference) const {
  if (IsOuterColumn(column_reference)) {
    return nullptr;
  }
  for (const CapturedBinding& candidate : bindings) {
    if (candidate.binding == BindingOf(column_reference)) {
      return &candidate;
    }
  }
  return nullptr;
}

}  // namespace margay::integration
