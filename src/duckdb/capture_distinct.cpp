#include <algorithm>
#include <set>
#include <utility>

#include "duckdb/capture_relation.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "duckdb/planner/operator/logical_distinct.hpp"

namespace margay::integration {

namespace {

//! Per column of the input: the number of the target that it is. Empty where one is no target.
std::vector<size_t> TargetsOf(
    const std::vector<CapturedBinding>& input,
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& targets) {
  std::vector<size_t> numbers;
  for (const CapturedBinding& column : input) {
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const auto& expression) {
      return expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF &&
             expression->template Cast<duckdb::BoundColumnRefExpression>().binding ==
                 column.binding;
    });
    if (target == targets.end()) {
      return {};
    }
    numbers.push_back(static_cast<size_t>(target - targets.begin()));
  }
  return numbers;
}

//! Whether no two rows of `node` have the same values in `bindings`: the rows are groups, and all
//! of their keys are bound.
bool AreDifferent(const plan::Node& node, const std::vector<CapturedBinding>& bindings) {
  const bool is_project = node.Kind() == plan::NodeKind::Project;
  const plan::Node& groups = is_project ? *node.Input() : node;
  if (groups.Kind() != plan::NodeKind::Aggregate) {
    return false;
  }
  std::set<size_t> columns;
  for (const CapturedBinding& binding : bindings) {
    if (!binding.column) {
      continue;
    }
    if (!is_project) {
      columns.insert(*binding.column);
    } else if (const plan::Expression& output = *node.Expressions()[*binding.column];
               output.GetOperation() == plan::Operation::Column) {
      columns.insert(output.ColumnIndex());
    }
  }
  // The keys are the first columns of groups.
  const size_t keys = groups.Expressions().size();
  return static_cast<size_t>(std::distance(columns.begin(), columns.lower_bound(keys))) == keys;
}

}  // namespace

Reason AddDistinct(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                   Relation& relation) {
  auto& distinct = op.Cast<duckdb::LogicalDistinct>();
  if (distinct.distinct_type != duckdb::DistinctType::DISTINCT) {
    return NotSupported("DISTINCT ON");
  }
  const std::vector<CapturedBinding> input = relation.scope.bindings;
  const std::vector<size_t> targets = TargetsOf(input, distinct.distinct_targets);
  if (targets.empty()) {
    return NotSupported("DISTINCT of some of the columns");
  }
  if (AreDifferent(*relation.node, input)) {
    return std::nullopt;
  }
  // Its rows are those of groups by all columns; the numbers of their bindings are of no matter.
  duckdb::LogicalAggregate groups(0, 0, {});
  for (const auto& target : distinct.distinct_targets) {
    groups.groups.push_back(target->Copy());
  }
  if (Reason reason = AddAggregate(context, groups, relation)) {
    return reason;
  }
  std::vector<CapturedBinding> bindings;
  for (size_t i = 0; i < input.size(); i++) {
    bindings.push_back(relation.scope.bindings[targets[i]]);
    bindings.back().binding = input[i].binding;
  }
  relation.scope.bindings = bindings;
  if (relation.for_above) {
    Relation above = *relation.for_above;
    above.scope.bindings = std::move(bindings);
    relation.for_above = std::make_shared<const Relation>(std::move(above));
  }
  return std::nullopt;
}

}  // namespace margay::integration
