#include <algorithm>
#include <utility>

#include "duckdb/planner/expression/bound_aggregate_expression.hpp"
#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "integration/capture/dictionary_expression.hpp"
#include "integration/capture/grouping_sets.hpp"
#include "integration/capture/relation.hpp"
#include "integration/capture/set_operation.hpp"
#include "integration/capture/text_origins.hpp"
#include "integration/type_conversion.hpp"
#include "integration/version/bindings.hpp"
#include "integration/version/expressions.hpp"
#include "optimize/rewrite/distinct_aggregates.hpp"
#include "optimize/rewrite/projected_errors.hpp"

namespace margay::integration {

namespace {

using duckdb::BoundAggregateExpression;
using duckdb::LogicalAggregate;

//! DuckDB's name of an aggregate function.
std::string NameOf(const duckdb::Expression& aggregate) {
  // The optimizer's name for a sum that fits 64 bits, by its statistics.
  const std::string& name = FunctionName(aggregate);
  return name == "sum_no_overflow" ? "sum" : name;
}

//! Whether an aggregate is the value of one row, which several of them have in common. Without an
//! order DuckDB takes the first or last row that it happens to come by.
bool IsValueOfARow(const std::string& name) {
  return name == "first" || name == "arbitrary" || name == "last";
}

std::optional<plan::AggregateFunction> AggregateNamed(const std::string& name) {
  if (name == "count_star") {
    return plan::AggregateFunction::CountStar;
  }
  if (name == "count") {
    return plan::AggregateFunction::Count;
  }
  // count_if is a sum of BOOLEAN.
  if (name == "sum" || name == "count_if" || name == "countif") {
    return plan::AggregateFunction::Sum;
  }
  if (name == "avg" || name == "mean") {
    return plan::AggregateFunction::Average;
  }
  // The least value is as good as any other, and the same in all runs.
  if (name == "min" || name == "bool_and" || name == "any_value" || IsValueOfARow(name)) {
    return plan::AggregateFunction::Min;
  }
  if (name == "max" || name == "bool_or") {
    return plan::AggregateFunction::Max;
  }
  return std::nullopt;
}

//! Whether the plan has `function` over `argument` with that result.
bool IsAggregateOf(plan::AggregateFunction function, const plan::Type& result,
                   const plan::Type& argument) {
  const bool is_temporal =
      argument.kind == plan::TypeKind::Date || argument.kind == plan::TypeKind::Timestamp;
  const bool is_wide = argument.kind == plan::TypeKind::UInt128;
  const bool is_number = !argument.IsVarchar() && !is_temporal && !is_wide;
  switch (function) {
    case plan::AggregateFunction::CountStar:
    case plan::AggregateFunction::Count:
      return result.kind == plan::TypeKind::Int64;
    case plan::AggregateFunction::Sum:
      if (argument.kind == plan::TypeKind::Decimal) {
        return result == plan::Type::Decimal(38, argument.scale);
      }
      return is_number &&
             result.kind == (argument.IsFloat() ? plan::TypeKind::Float64 : plan::TypeKind::Int128);
    case plan::AggregateFunction::Average:
      return is_number && !argument.IsBoolean() && result.kind == plan::TypeKind::Float64;
    case plan::AggregateFunction::Min:
    case plan::AggregateFunction::Max:
      return !is_wide && result == argument;
  }
  return false;
}

//! Lets `result` fold only the rows in which `filter` is true: elsewhere its argument becomes NULL.
//! DuckDB computes the argument in every row, and its errors count in all of them. So the argument
//! must not stand in a branch of the CASE alone. `is_distinct`: values are told apart.
Reason AddAggregateFilter(const duckdb::Expression& filter, bool is_distinct,
                          const ExpressionCapture& capture, plan::Aggregate& result) {
  const CapturedExpression captured = capture.Capture(filter);
  if (!captured) {
    return captured.reason;
  }
  const bool is_count = !is_distinct && (result.function == plan::AggregateFunction::CountStar ||
                                         result.function == plan::AggregateFunction::Count);
  plan::ExpressionPointer condition = captured.expression;
  plan::ExpressionPointer value = result.argument;
  if (value) {
    const plan::Type& type = value->GetType();
    const bool is_column = !is_distinct && value->GetOperation() == plan::Operation::Column;
    if (type.kind == plan::TypeKind::UInt128 || (type.IsVarchar() && !is_count && !is_column)) {
      return NotSupported(std::string(is_distinct ? "DISTINCT with " : "") +
                          "FILTER in an aggregate of " + value->ToString());
    }
    condition = plan::Expression::Make(
        plan::Operation::And, plan::TypeKind::Boolean,
        {condition,
         plan::Expression::Make(plan::Operation::IsNotNull, plan::TypeKind::Boolean, {value})});
  }
  if (is_count) {
    result.function = plan::AggregateFunction::Count;
    value = plan::Expression::Integer(1, plan::TypeKind::Int32);
  }
  result.argument =
      plan::Expression::Make(plan::Operation::Case, value->GetType(),
                             {condition, value, plan::Expression::Null(value->GetType())});
  return std::nullopt;
}

Reason CaptureAggregate(const duckdb::Expression& expression, const ExpressionCapture& capture,
                        plan::Aggregate& result) {
  if (KindOf(expression) != ExpressionKind::Aggregate) {
    return NotSupported("the aggregate " + expression.ToString());
  }
  const auto& aggregate = expression.Cast<BoundAggregateExpression>();
  const std::string name = NameOf(aggregate);
  const std::optional<plan::AggregateFunction> function = AggregateNamed(name);
  if (!function && (name == "arg_min_null" || name == "arg_max_null")) {
    return NotSupported("first or last with ORDER BY (" + name + ")");
  }
  if (!function) {
    return NotSupported("the aggregate function " + name);
  }
  if (HasOrder(expression)) {
    return NotSupported("ORDER BY in the aggregate " + name);
  }
  const bool is_star = *function == plan::AggregateFunction::CountStar;
  const Expressions& arguments = ArgumentsOf(expression);
  if (arguments.size() != (is_star ? 0U : 1U)) {
    return NotSupported("the aggregate " + name + " of " + std::to_string(arguments.size()) +
                        " arguments");
  }
  const std::optional<plan::Type> type = ToPlanType(ReturnType(expression));
  if (!type) {
    return NotSupported("the type " + ReturnType(expression).ToString() + " of " +
                        expression.ToString());
  }
  result.function = *function;
  result.type = *type;
  if (!is_star) {
    CapturedExpression argument = capture.Capture(*arguments[0]);
    if (!argument) {
      return argument.reason;
    }
    if (!IsAggregateOf(*function, *type, argument.expression->GetType())) {
      return NotSupported("the aggregate " + name + " of " +
                          argument.expression->GetType().ToString());
    }
    result.argument = std::move(argument.expression);
  }
  const duckdb::Expression* filter = FilterOf(expression);
  return filter != nullptr
             ? AddAggregateFilter(*filter, !is_star && aggregate.IsDistinct(), capture, result)
             : std::nullopt;
}

//! Whether aggregates of `op` must be different values of one row.
bool NeedsOneRow(const LogicalAggregate& op) {
  const duckdb::Expression* argument = nullptr;
  for (const auto& expression : op.expressions) {
    const Expressions& arguments = ArgumentsOf(*expression);
    if (!IsValueOfARow(FunctionName(*expression)) || arguments.size() != 1) {
      continue;
    }
    if (argument != nullptr && !argument->Equals(*arguments[0])) {
      return true;
    }
    argument = arguments[0].get();
  }
  return false;
}

//! Per group key: the table's VARCHAR column that DuckDB has compressed to an integer, which the
//! key is, and how; else none.
std::vector<std::optional<TextOrigin>> CompressedKeys(const LogicalAggregate& aggregate,
                                                      const CaptureScope& scope) {
  std::vector<std::optional<TextOrigin>> origins;
  for (const auto& group : aggregate.groups) {
    const std::optional<TextOrigin> origin = TextOrigins(scope).Of(*group);
    origins.push_back(IsCompressedTableText({{}, {}, origin}) ? origin : std::nullopt);
  }
  return origins;
}

//! `aggregated`, the `aggregates` of `rows` in `groups`, some of which are compressed strings, for
//! operators above: grouped by the strings themselves, which are compressed behind it, and stay to
//! be had.
Relation WithTexts(duckdb::ClientContext& context,
                   const std::vector<std::optional<TextOrigin>>& origins, const CaptureScope& input,
                   const plan::NodePointer& rows, std::vector<plan::ExpressionPointer> groups,
                   const optimize::DistinctAggregates& aggregates, Relation aggregated) {
  std::vector<plan::ExpressionPointer> outputs = plan::OutputColumns(*aggregated.node);
  for (size_t i = 0; i < origins.size(); i++) {
    if (!origins[i]) {
      continue;
    }
    const CapturedColumn& base = input.columns[origins[i]->base];
    outputs[i] = plan::Expression::Dictionary(
        std::make_shared<DictionaryExpression>(context, origins[i]->expression->Copy()),
        plan::Expression::Column(i, base.type, base.name));
    groups[i] = plan::Expression::Column(origins[i]->base, base.type, base.name);
    aggregated.scope.columns[i].origin = TextOrigin{outputs.size(), origins[i]->expression};
    aggregated.scope.columns.push_back({base.type, {}, TextOrigin{outputs.size(), nullptr}});
    outputs.push_back(plan::Expression::Column(i, base.type, base.name));
  }
  aggregated.node = plan::Node::Project(aggregates.Group(rows, groups), std::move(outputs));
  return aggregated;
}

}  // namespace

Reason AddAggregate(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                    Relation& relation) {
  const auto& aggregate = op.Cast<LogicalAggregate>();
  if (aggregate.groups.empty() && aggregate.expressions.empty()) {
    return NotSupported("an AGGREGATE of nothing");
  }

  const ExpressionCapture capture(context, relation.scope);
  CaptureScope output;
  std::vector<plan::ExpressionPointer> groups;
  for (size_t i = 0; i < aggregate.groups.size(); i++) {
    CapturedExpression captured = capture.Capture(*aggregate.groups[i]);
    if (!captured) {
      return captured.reason;
    }
    output.columns.push_back({captured.expression->GetType(), {}, std::nullopt});
    // Strings of groups have a dictionary, as those of the table have.
    if (captured.expression->GetType().IsVarchar()) {
      output.columns.back().origin = TextOrigin{i, nullptr};
    }
    output.bindings.push_back({MakeBinding(aggregate.group_index, i),
                               ReturnType(*aggregate.groups[i]),
                               output.bindings.size(),
                               {}});
    groups.push_back(std::move(captured.expression));
  }
  std::vector<plan::Aggregate> aggregates;
  std::vector<bool> is_distinct;
  for (size_t i = 0; i < aggregate.expressions.size(); i++) {
    plan::Aggregate captured;
    if (Reason reason = CaptureAggregate(*aggregate.expressions[i], capture, captured)) {
      return reason;
    }
    output.columns.push_back({captured.type, {}, std::nullopt});
    output.bindings.push_back({MakeBinding(aggregate.aggregate_index, i),
                               ReturnType(*aggregate.expressions[i]),
                               output.bindings.size(),
                               {}});
    aggregates.push_back(std::move(captured));
    is_distinct.push_back(aggregates.back().argument &&
                          aggregate.expressions[i]->Cast<BoundAggregateExpression>().IsDistinct());
  }
  if (NeedsOneRow(aggregate)) {
    return NotSupported("first or last of several arguments, which are of one row");
  }
  std::vector<plan::ExpressionPointer> readers = groups;
  for (const plan::Aggregate& captured : aggregates) {
    if (captured.argument) {
      readers.push_back(captured.argument);
    }
  }
  const plan::NodePointer rows = optimize::KeepProjectedErrors(relation.node, readers);
  const optimize::DistinctAggregates distinct(aggregates, is_distinct);
  const size_t sets = std::max<size_t>(aggregate.grouping_sets.size(), 1);
  if (distinct.Readings() > 1 || (distinct.HasDistinct() && sets > 1)) {
    if (Reason reason = RefuseScans("DISTINCT in several aggregates",
                                    plan::Scans(*rows).size() * distinct.Readings() * sets)) {
      return reason;
    }
  }
  relation.part.has_aggregate = true;
  if (HasGroupingSets(aggregate)) {
    if (aggregate.grouping_sets.size() > kMostGroupingSets) {
      return NotSupported("an aggregate with more than " + std::to_string(kMostGroupingSets) +
                          " grouping sets");
    }
    for (size_t i = 0; i < aggregate.grouping_functions.size(); i++) {
      output.bindings.push_back({MakeBinding(aggregate.groupings_index, i),
                                 duckdb::LogicalType::BIGINT,
                                 output.bindings.size(),
                                 {}});
      output.columns.push_back({plan::TypeKind::Int64, {}, std::nullopt});
    }
    relation.node = GroupBySets(aggregate, rows, groups, distinct);
    relation.scope = std::move(output);
    relation.scope.columns = UnitedColumns(std::move(relation.scope.columns));
    return std::nullopt;
  }
  const CaptureScope input = std::move(relation.scope);
  const std::vector<std::optional<TextOrigin>> origins = CompressedKeys(aggregate, input);
  relation.node = distinct.Group(rows, groups);
  relation.scope = std::move(output);
  if (std::any_of(origins.begin(), origins.end(),
                  [](const auto& origin) { return origin.has_value(); })) {
    Relation with_texts = WithTexts(context, origins, input, rows, groups, distinct, relation);
    AddGroupingCalls(aggregate, with_texts);
    relation.for_above = std::make_shared<const Relation>(std::move(with_texts));
  }
  AddGroupingCalls(aggregate, relation);
  return std::nullopt;
}

}  // namespace margay::integration
