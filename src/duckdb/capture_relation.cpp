#include "duckdb/capture_relation.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "duckdb/planner/expression/bound_aggregate_expression.hpp"
#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "duckdb/planner/operator/logical_filter.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"
#include "duckdb/type_conversion.hpp"
#include "plan/prune_scans.hpp"

namespace margay::integration {

namespace {

//! A function of a computed VARCHAR is made one function of the table's column, which must then
//! be there too: moves the bases in `output` from the input's columns to its own, which it
//! extends.
void PassBases(const CaptureScope& input, CaptureScope& output,
               std::vector<plan::ExpressionPointer>& expressions) {
  std::unordered_map<size_t, size_t> passed;
  for (size_t i = 0; i < expressions.size(); i++) {
    const plan::Expression& expression = *expressions[i];
    if (expression.GetOperation() == plan::Operation::Column && output.columns[i].origin &&
        !output.columns[i].origin->expression) {
      passed.emplace(expression.ColumnIndex(), i);
    }
  }
  const size_t visible = output.columns.size();
  for (size_t i = 0; i < visible; i++) {
    if (!output.columns[i].origin) {
      continue;
    }
    const size_t base = output.columns[i].origin->base;
    if (!passed.contains(base)) {
      passed[base] = expressions.size();
      const CapturedColumn& column = input.columns[base];
      expressions.push_back(plan::Expression::Column(base, column.type, column.name));
      output.columns.push_back({column.type, column.name, TextOrigin{passed[base], nullptr}});
    }
    output.columns[i].origin->base = passed[base];
  }
}

std::optional<plan::AggregateFunction> AggregateNamed(const std::string& name) {
  if (name == "count_star") {
    return plan::AggregateFunction::CountStar;
  }
  if (name == "count") {
    return plan::AggregateFunction::Count;
  }
  if (name == "sum") {
    return plan::AggregateFunction::Sum;
  }
  if (name == "avg" || name == "mean") {
    return plan::AggregateFunction::Average;
  }
  if (name == "min") {
    return plan::AggregateFunction::Min;
  }
  if (name == "max") {
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

Reason CaptureAggregate(const duckdb::Expression& expression, const ExpressionCapture& capture,
                        plan::Aggregate& result) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_AGGREGATE) {
    return NotSupported("the aggregate " + expression.ToString());
  }
  const auto& aggregate = expression.Cast<duckdb::BoundAggregateExpression>();
  // The optimizer's name for a sum that fits 64 bits, by its statistics.
  const std::string name =
      aggregate.function.name == "sum_no_overflow" ? "sum" : aggregate.function.name;
  const std::optional<plan::AggregateFunction> function = AggregateNamed(name);
  if (!function) {
    return NotSupported("the aggregate function " + name);
  }
  if (aggregate.IsDistinct()) {
    return NotSupported("DISTINCT in the aggregate " + name);
  }
  if (aggregate.filter) {
    return NotSupported("FILTER in the aggregate " + name);
  }
  if (aggregate.order_bys) {
    return NotSupported("ORDER BY in the aggregate " + name);
  }
  const bool is_star = *function == plan::AggregateFunction::CountStar;
  if (aggregate.children.size() != (is_star ? 0U : 1U)) {
    return NotSupported("the aggregate " + name + " of " +
                        std::to_string(aggregate.children.size()) + " arguments");
  }
  const std::optional<plan::Type> type = ToPlanType(expression.return_type);
  if (!type) {
    return NotSupported("the type " + expression.return_type.ToString() + " of " +
                        expression.ToString());
  }
  result.function = *function;
  result.type = *type;
  if (is_star) {
    return std::nullopt;
  }
  CapturedExpression argument = capture.Capture(*aggregate.children[0]);
  if (!argument) {
    return argument.reason;
  }
  if (!IsAggregateOf(*function, *type, argument.expression->GetType())) {
    return NotSupported("the aggregate " + name + " of " +
                        argument.expression->GetType().ToString());
  }
  result.argument = std::move(argument.expression);
  return std::nullopt;
}

//! The nodes of a plan in the order in which rows pass them.
std::string TextOf(const plan::Node& node) {
  switch (node.Kind()) {
    case plan::NodeKind::Scan:
      return "SCAN " + node.Table();
    case plan::NodeKind::Filter:
      return TextOf(*node.Input()) + ", FILTER";
    case plan::NodeKind::Project:
      return TextOf(*node.Input()) + ", PROJECT";
    case plan::NodeKind::Join:
      return TextOf(*node.Input()) + ", JOIN " +
             std::string(plan::JoinKindName(node.GetJoinKind())) + " (" + TextOf(*node.Build()) +
             ")";
    case plan::NodeKind::Aggregate:
      return TextOf(*node.Input()) + ", AGGREGATE";
  }
  return {};
}

//! Some of the columns of `relation`, in any order.
plan::NodePointer Select(const Relation& relation, const std::vector<size_t>& columns) {
  const bool is_project = relation.node->Kind() == plan::NodeKind::Project;
  std::vector<plan::ExpressionPointer> expressions;
  for (size_t column : columns) {
    const CapturedColumn& captured = relation.scope.columns[column];
    expressions.push_back(is_project
                              ? relation.node->Expressions()[column]
                              : plan::Expression::Column(column, captured.type, captured.name));
  }
  return plan::Node::Project(is_project ? relation.node->Input() : relation.node,
                             std::move(expressions));
}

}  // namespace

void NameOnce(std::vector<CapturedColumn>& columns) {
  std::unordered_set<std::string> seen;
  for (CapturedColumn& column : columns) {
    if (!seen.insert(column.name).second) {
      column.name.clear();
    }
  }
}

std::vector<CapturedBinding> MapBindings(const std::vector<CapturedBinding>& bindings,
                                         const duckdb::vector<duckdb::idx_t>& projection_map) {
  if (projection_map.empty()) {
    return bindings;
  }
  std::vector<CapturedBinding> result;
  for (duckdb::idx_t position : projection_map) {
    result.push_back(bindings.at(position));
  }
  return result;
}

void AddConjuncts(const std::vector<plan::ExpressionPointer>& conjuncts, Relation& relation) {
  if (conjuncts.empty()) {
    return;
  }
  std::vector<plan::ExpressionPointer> all;
  plan::NodePointer input = relation.node;
  if (input->Kind() == plan::NodeKind::Filter) {
    plan::SplitConjunction(input->Predicate(), all);
    input = input->Input();
  }
  for (const plan::ExpressionPointer& conjunct : conjuncts) {
    plan::SplitConjunction(conjunct, all);
  }
  const plan::ExpressionPointer predicate =
      all.size() == 1
          ? all[0]
          : plan::Expression::Make(plan::Operation::And, plan::TypeKind::Boolean, std::move(all));
  relation.node = plan::Node::Filter(std::move(input), predicate);
}

Reason AddFilter(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation) {
  if (relation.part.has_aggregate) {
    return NotSupported("a FILTER above an AGGREGATE");
  }
  std::vector<plan::ExpressionPointer> conjuncts;
  const ExpressionCapture capture(context, relation.scope);
  for (const auto& expression : op.expressions) {
    CapturedExpression captured = capture.Capture(*expression);
    if (!captured) {
      return captured.reason;
    }
    conjuncts.push_back(std::move(captured.expression));
  }
  AddConjuncts(conjuncts, relation);

  relation.scope.bindings =
      MapBindings(relation.scope.bindings, op.Cast<duckdb::LogicalFilter>().projection_map);
  return std::nullopt;
}

Reason AddProjection(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                     Relation& relation) {
  if (relation.part.has_aggregate) {
    return NotSupported("a PROJECTION above an AGGREGATE");
  }
  const auto& projection = op.Cast<duckdb::LogicalProjection>();
  const CaptureScope& input = relation.scope;
  const ExpressionCapture capture(context, input);
  std::vector<plan::ExpressionPointer> expressions;
  bool only_columns = true;
  CaptureScope output;
  for (size_t i = 0; i < op.expressions.size(); i++) {
    const duckdb::Expression& expression = *op.expressions[i];
    CapturedExpression captured = capture.Capture(expression);
    if (!captured) {
      return captured.reason;
    }
    const bool is_column = captured.expression->GetOperation() == plan::Operation::Column;
    only_columns = only_columns && is_column;
    output.columns.push_back({captured.expression->GetType(),
                              is_column ? captured.expression->ColumnName() : expression.GetAlias(),
                              TextOrigins(input).Of(expression)});
    output.bindings.push_back(
        {duckdb::ColumnBinding(projection.table_index, i), expression.return_type, i, {}});
    expressions.push_back(std::move(captured.expression));
  }
  if (only_columns) {
    // No node is needed to rename or leave out columns; FinishPart adds one if it must.
    for (size_t i = 0; i < expressions.size(); i++) {
      output.bindings[i].column = expressions[i]->ColumnIndex();
    }
    relation.scope.bindings = std::move(output.bindings);
    return std::nullopt;
  }
  PassBases(input, output, expressions);
  NameOnce(output.columns);
  relation.node = plan::Node::Project(relation.node, std::move(expressions));
  relation.scope = std::move(output);
  return std::nullopt;
}

Reason AddAggregate(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                    Relation& relation) {
  if (relation.part.has_aggregate) {
    return NotSupported("an AGGREGATE above an AGGREGATE");
  }
  const auto& aggregate = op.Cast<duckdb::LogicalAggregate>();
  const bool all_groups = aggregate.grouping_sets.empty() ||
                          (aggregate.grouping_sets.size() == 1 &&
                           aggregate.grouping_sets[0].size() == aggregate.groups.size());
  if (!all_groups || !aggregate.grouping_functions.empty()) {
    return NotSupported("an AGGREGATE with GROUPING SETS");
  }
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
    output.bindings.push_back({duckdb::ColumnBinding(aggregate.group_index, i),
                               aggregate.groups[i]->return_type,
                               output.bindings.size(),
                               {}});
    groups.push_back(std::move(captured.expression));
  }
  std::vector<plan::Aggregate> aggregates;
  for (size_t i = 0; i < aggregate.expressions.size(); i++) {
    plan::Aggregate captured;
    if (Reason reason = CaptureAggregate(*aggregate.expressions[i], capture, captured)) {
      return reason;
    }
    output.columns.push_back({captured.type, {}, std::nullopt});
    output.bindings.push_back({duckdb::ColumnBinding(aggregate.aggregate_index, i),
                               aggregate.expressions[i]->return_type,
                               output.bindings.size(),
                               {}});
    aggregates.push_back(std::move(captured));
  }
  relation.node = plan::Node::GroupBy(relation.node, std::move(groups), std::move(aggregates));
  relation.scope = std::move(output);
  relation.part.has_aggregate = true;
  return std::nullopt;
}

Reason FinishPart(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation) {
  std::vector<size_t> outputs;
  bool identity = relation.scope.bindings.size() == relation.scope.columns.size();
  for (const CapturedBinding& binding : relation.scope.bindings) {
    if (!binding.column) {
      return binding.reason;
    }
    identity = identity && *binding.column == outputs.size();
    outputs.push_back(*binding.column);
    relation.part.types.push_back(binding.type);
  }
  if (!identity) {
    relation.node = Select(relation, outputs);
  }
  relation.part.plan = plan::PruneScans(relation.node);
  relation.part.text = TextOf(*relation.part.plan);
  relation.part.estimated_rows = op.EstimateCardinality(context);
  return std::nullopt;
}

}  // namespace margay::integration
