#include <utility>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/operator/logical_column_data_get.hpp"
#include "integration/capture/relation.hpp"
#include "integration/version/expressions.hpp"
#include "integration/version/joins.hpp"

namespace margay::integration {

namespace {

using duckdb::LogicalColumnDataGet;
using duckdb::LogicalComparisonJoin;
using duckdb::LogicalOperatorType;

//! Whether the only condition of `join` compares a value with the only column of `list`.
bool ComparesWithList(const LogicalComparisonJoin& join, const LogicalColumnDataGet& list) {
  if (join.conditions.size() != 1 || HasPredicate(join) || list.chunk_types.size() != 1) {
    return false;
  }
  const JoinComparison comparison = ComparisonOf(join.conditions[0]);
  return comparison.type == duckdb::ExpressionType::COMPARE_EQUAL &&
         IsColumnReference(comparison.right) &&
         BindingOf(comparison.right) == MakeBinding(list.table_index, 0);
}

}  // namespace

bool IsInList(const duckdb::LogicalOperator& op) {
  return op.type == LogicalOperatorType::LOGICAL_COMPARISON_JOIN &&
         op.Cast<LogicalComparisonJoin>().join_type == duckdb::JoinType::MARK &&
         op.children[1]->type == LogicalOperatorType::LOGICAL_CHUNK_GET &&
         ComparesWithList(op.Cast<LogicalComparisonJoin>(),
                          op.children[1]->Cast<LogicalColumnDataGet>());
}

Reason AddInList(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation) {
  const auto& join = op.Cast<LogicalComparisonJoin>();
  const auto& list = op.children[1]->Cast<LogicalColumnDataGet>();
  duckdb::BoundOperatorExpression in(duckdb::ExpressionType::COMPARE_IN,
                                     duckdb::LogicalType::BOOLEAN);
  AddArgument(in, ComparisonOf(join.conditions[0]).left.Copy());
  const duckdb::ColumnDataRowCollection rows = list.collection->GetRows();
  for (const duckdb::ColumnDataRow& row : rows) {
    AddArgument(in, duckdb::make_uniq<duckdb::BoundConstantExpression>(row.GetValue(0)));
  }
  CapturedExpression captured = ExpressionCapture(context, relation.scope).Capture(in);
  if (!captured) {
    return captured.reason;
  }

  CaptureScope& scope = relation.scope;
  std::vector<plan::ExpressionPointer> expressions;
  for (size_t i = 0; i < scope.columns.size(); i++) {
    expressions.push_back(
        plan::Expression::Column(i, scope.columns[i].type, scope.columns[i].name));
  }
  expressions.push_back(std::move(captured.expression));
  scope.bindings = MapBindings(scope.bindings, join.left_projection_map);
  scope.bindings.push_back(
      {MakeBinding(join.mark_index, 0), duckdb::LogicalType::BOOLEAN, scope.columns.size(), {}});
  scope.columns.push_back({plan::TypeKind::Boolean, {}, std::nullopt});
  relation.node = plan::Node::Project(relation.node, std::move(expressions));
  return std::nullopt;
}

}  // namespace margay::integration
