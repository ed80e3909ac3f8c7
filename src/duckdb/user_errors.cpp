#include "duckdb/user_errors.hpp"

#include <algorithm>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/logical_operator_visitor.hpp"
#include "duckdb/planner/operator/logical_get.hpp"

namespace margay::integration {

namespace {

//! The optimizer has made a constant of everything that can be one.
bool HasError(duckdb::ClientContext& context, const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT) {
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

bool HasError(duckdb::ClientContext& context, const duckdb::TableFilter& filter) {
  switch (filter.filter_type) {
    case duckdb::TableFilterType::EXPRESSION_FILTER:
      return HasError(context, *filter.Cast<duckdb::ExpressionFilter>().expr);
    case duckdb::TableFilterType::CONJUNCTION_AND: {
      const auto& children = filter.Cast<duckdb::ConjunctionAndFilter>().child_filters;
      return std::any_of(children.begin(), children.end(),
                         [&](const auto& child) { return HasError(context, *child); });
    }
    default:
      return false;
  }
}

}  // namespace

bool HoldsUserError(duckdb::ClientContext& context, duckdb::LogicalOperator& plan) {
  bool has_error = false;
  duckdb::LogicalOperatorVisitor::EnumerateExpressions(
      plan, [&](duckdb::unique_ptr<duckdb::Expression>* expression) {
        has_error = has_error || HasError(context, **expression);
      });
  if (plan.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    const auto& filters = plan.Cast<duckdb::LogicalGet>().table_filters.filters;
    has_error = has_error || std::any_of(filters.begin(), filters.end(), [&](const auto& entry) {
                  return HasError(context, *entry.second);
                });
  }
  return has_error || std::any_of(plan.children.begin(), plan.children.end(),
                                  [&](auto& child) { return HoldsUserError(context, *child); });
}

}  // namespace margay::integration
