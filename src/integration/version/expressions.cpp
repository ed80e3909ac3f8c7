#include "integration/version/expressions.hpp"

#include <stdexcept>
#include <utility>

#include "duckdb/planner/expression/list.hpp"

namespace margay::integration {

using duckdb::ExpressionClass;

ExpressionKind KindOf(const duckdb::Expression& expression) {
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_COLUMN_REF:
      return ExpressionKind::Column;
    case ExpressionClass::BOUND_REF:
      return ExpressionKind::Reference;
    case ExpressionClass::BOUND_CONSTANT:
      return ExpressionKind::Constant;
    case ExpressionClass::BOUND_PARAMETER:
      return ExpressionKind::Parameter;
    case ExpressionClass::BOUND_COMPARISON:
      return ExpressionKind::Comparison;
    case ExpressionClass::BOUND_BETWEEN:
      return ExpressionKind::Between;
    case ExpressionClass::BOUND_CONJUNCTION:
      return ExpressionKind::Conjunction;
    case ExpressionClass::BOUND_OPERATOR:
      return ExpressionKind::Operator;
    case ExpressionClass::BOUND_CASE:
      return ExpressionKind::Case;
    case ExpressionClass::BOUND_CAST:
      return ExpressionKind::Cast;
    case ExpressionClass::BOUND_FUNCTION:
      return ExpressionKind::Function;
    case ExpressionClass::BOUND_AGGREGATE:
      return ExpressionKind::Aggregate;
    default:
      return ExpressionKind::Other;
  }
}

const duckdb::LogicalType& ReturnType(const duckdb::Expression& expression) {
  return expression.return_type;
}

const std::string& AliasOf(const duckdb::Expression& expression) {
  return expression.GetAlias();
}

void SetAlias(duckdb::Expression& expression, const std::string& alias) {
  expression.SetAlias(alias);
}

const Expressions& ArgumentsOf(const duckdb::Expression& expression) {
  switch (KindOf(expression)) {
    case ExpressionKind::Conjunction:
      return expression.Cast<duckdb::BoundConjunctionExpression>().children;
    case ExpressionKind::Operator:
      return expression.Cast<duckdb::BoundOperatorExpression>().children;
    case ExpressionKind::Function:
      return expression.Cast<duckdb::BoundFunctionExpression>().children;
    case ExpressionKind::Aggregate:
      return expression.Cast<duckdb::BoundAggregateExpression>().children;
    default:
      throw std::logic_error("ArgumentsOf: " + expression.ToString() + " has no arguments");
  }
}

void AddArgument(duckdb::Expression& expression, duckdb::unique_ptr<duckdb::Expression> argument) {
  expression.Cast<duckdb::BoundOperatorExpression>().children.push_back(std::move(argument));
}

const std::string& FunctionName(const duckdb::Expression& expression) {
  return KindOf(expression) == ExpressionKind::Aggregate
             ? expression.Cast<duckdb::BoundAggregateExpression>().function.name
             : expression.Cast<duckdb::BoundFunctionExpression>().function.name;
}

bool TakesLambda(const duckdb::Expression& expression) {
  return expression.Cast<duckdb::BoundFunctionExpression>().function.HasBindLambdaCallback();
}

const duckdb::Value& ValueOf(const duckdb::Expression& expression) {
  return expression.Cast<duckdb::BoundConstantExpression>().value;
}

const duckdb::ColumnBinding& BindingOf(const duckdb::Expression& expression) {
  return expression.Cast<duckdb::BoundColumnRefExpression>().binding;
}

bool IsOuterColumn(const duckdb::Expression& expression) {
  return expression.Cast<duckdb::BoundColumnRefExpression>().depth != 0;
}

const duckdb::Expression* FilterOf(const duckdb::Expression& expression) {
  return expression.Cast<duckdb::BoundAggregateExpression>().filter.get();
}

bool HasOrder(const duckdb::Expression& expression) {
  return expression.Cast<duckdb::BoundAggregateExpression>().order_bys != nullptr;
}

ComparisonParts PartsOfComparison(const duckdb::Expression& expression) {
  const auto& comparison = expression.Cast<duckdb::BoundComparisonExpression>();
  return {*comparison.left, *comparison.right};
}

BetweenParts PartsOfBetween(const duckdb::Expression& expression) {
  const auto& between = expression.Cast<duckdb::BoundBetweenExpression>();
  return {*between.input, *between.lower, *between.upper, between.lower_inclusive,
          between.upper_inclusive};
}

CastParts PartsOfCast(const duckdb::Expression& expression) {
  const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
  return {*cast.child, cast.try_cast};
}

CaseParts PartsOfCase(const duckdb::Expression& expression) {
  const auto& conditional = expression.Cast<duckdb::BoundCaseExpression>();
  CaseParts parts{{}, *conditional.else_expr};
  for (const duckdb::BoundCaseCheck& check : conditional.case_checks) {
    parts.branches.push_back({*check.when_expr, *check.then_expr});
  }
  return parts;
}

}  // namespace margay::integration
