#include "integration/capture/user_errors.hpp"

#include <algorithm>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/logical_operator_visitor.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "integration/version/expressions.hpp"
#include "integration/version/table_filters.hpp"

namespace margay::integration {

namespace {

//! The optimizer has made a constant of everything that can be one.
bool HasError(duckdb::ClientContext& context, const duckdb::Expression& expression) {
  if (KindOf(expression) == ExpressionKind::Constant) {
    return false;
  }
  if (expression.IsFoldable()) {
    duckdb::Value value;
    return !duckdb::ExpressionExecutor::TryEvaluateScalar(context, expression, value);
  }
  bool has_error = false;
  duckdb::ExpressionIterator::EnumerateChildren(expression, [&](const duckdb::Expression& child) {
    has_error = has_error || HasError(context, child);
  });
  return has_error;
}

}  // namespace

bool HoldsUserError(duckdb::ClientContext& context, duckdb::LogicalOperator& plan) {
  bool has_error = false;
  duckdb::LogicalOperatorVisitor::EnumerateExpressions(
      plan, [&](duckdb::unique_ptr<duckdb::Expression>* expression) {
        has_error = has_error || HasError(context, **expression);
      });
  if (plan.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    VisitFilterExpressions(plan.Cast<duckdb::LogicalGet>(), [&](const duckdb::Expression& filter) {
      has_error = has_error || HasError(context, filter);
    });
  }
  return has_error || std::any_of(plan.children.begin(), plan.children.end(),
                                  [&](auto& child) { return HoldsUserError(context, *child); });
}

}  // namespace margay::integration
