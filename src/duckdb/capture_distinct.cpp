#include <algorithm>
#include <utility>

#include "duckdb/capture_relation.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "duckdb/planner/operator/logical_distinct.hpp"

namespace margay::integration {

namespace {

//! The bindings of groups by `targets`, columns of the input, as bindings of the input, in its
//! order. Empty where a column of the input is no target.
std::vector<CapturedBinding> BindingsOfInput(
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& targets,
    const std::vector<CapturedBinding>& groups, const std::vector<CapturedBinding>& input) {
  std::vector<CapturedBinding> bindings;
  for (const CapturedBinding& column : input) {
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const auto& expression) {
      return expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF &&
             expression->template Cast<duckdb::BoundColumnRefExpression>().binding ==
                 column.binding;
    });
    if (target == targets.end()) {
      return {};
    }
    bindings.push_back(groups[static_cast<size_t>(target - targets.begin())]);
    bindings.back().binding = column.binding;
  }
  return bindings;
}

}  // namespace

Reason AddDistinct(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                   Relation& relation) {
  auto& distinct = op.Cast<duckdb::LogicalDistinct>();
  if (distinct.distinct_type != duckdb::DistinctType::DISTINCT) {
    return NotSupported("DISTINCT ON");
  }
  // Its rows are those of groups by all columns; the numbers of their bindings are of no matter.
  duckdb::LogicalAggregate groups(0, 0, {});
  for (const auto& target : distinct.distinct_targets) {
    groups.groups.push_back(target->Copy());
  }
  const std::vector<CapturedBinding> input = relation.scope.bindings;
  if (Reason reason = AddAggregate(context, groups, relation)) {
    return reason;
  }
  const std::vector<CapturedBinding> bindings =
      BindingsOfInput(distinct.distinct_targets, relation.scope.bindings, input);
  if (bindings.empty()) {
    return NotSupported("DISTINCT of some of the columns");
  }
  relation.scope.bindings = bindings;
  if (relation.for_above) {
    Relation above = *relation.for_above;
    above.scope.bindings = bindings;
    relation.for_above = std::make_shared<const Relation>(std::move(above));
  }
  return std::nullopt;
}

}  // namespace margay::integration
