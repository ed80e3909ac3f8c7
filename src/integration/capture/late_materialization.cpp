#include <algorithm>
#include <utility>

#include "integration/capture/relation.hpp"
#include "integration/version/joins.hpp"

namespace margay::integration {

namespace {

bool IsRowId(const duckdb::Expression& expression, const Relation& relation) {
  if (!IsColumnReference(expression)) {
    return false;
  }
  const CapturedBinding* binding = relation.scope.Find(expression);
  return binding != nullptr && binding->is_row_id;
}

//! Of a relation with one scan.
const CapturedTable& TableOf(const Relation& relation) {
  return relation.tables.begin()->second;
}

//! A node with all columns of one scan, and what the outputs of another one are of these.
struct Rebased {
  plan::NodePointer node;
  std::vector<plan::ExpressionPointer> outputs;
};

//! `node`, a scan with any number of filters, projections and orders above it, over `scan`, which
//! has all columns of the node's own. Projections are left out.
Rebased Rebase(const plan::Node& node, const plan::NodePointer& scan) {
  if (node.Kind() == plan::NodeKind::Scan) {
    Rebased result{scan, {}};
    for (const plan::ScanColumn& column : node.Columns()) {
      const auto& columns = scan->Columns();
      const auto found = std::find_if(columns.begin(), columns.end(),
                                      [&](const auto& other) { return other.id == column.id; });
      result.outputs.push_back(plan::Expression::Column(
          static_cast<size_t>(found - columns.begin()), column.type, column.name));
    }
    return result;
  }
  Rebased result = Rebase(*node.Input(), scan);
  const auto rebased = [&](const plan::ExpressionPointer& expression) {
    return plan::Substitute(expression, result.outputs);
  };
  if (node.Kind() == plan::NodeKind::Filter) {
    result.node = plan::Node::Filter(result.node, rebased(node.Predicate()));
  } else if (node.Kind() == plan::NodeKind::Order) {
    std::vector<plan::OrderKey> keys = node.OrderKeys();
    for (plan::OrderKey& key : keys) {
      key.expression = rebased(key.expression);
    }
    result.node = plan::Node::Order(result.node, std::move(keys), node.Window());
  } else {
    std::vector<plan::ExpressionPointer> outputs;
    for (const plan::ExpressionPointer& expression : node.Expressions()) {
      outputs.push_back(rebased(expression));
    }
    result.outputs = std::move(outputs);
  }
  return result;
}

}  // namespace

bool IsFetch(const duckdb::LogicalOperator& op, const Relation& rows, const Relation& found) {
  if (op.type != duckdb::LogicalOperatorType::LOGICAL_COMPARISON_JOIN) {
    return false;
  }
  const auto& join = op.Cast<duckdb::LogicalComparisonJoin>();
  if (join.join_type != duckdb::JoinType::SEMI || join.conditions.size() != 1 ||
      HasPredicate(join)) {
    return false;
  }
  const JoinComparison comparison = ComparisonOf(join.conditions[0]);
  return comparison.type == duckdb::ExpressionType::COMPARE_EQUAL &&
         rows.node->Kind() == plan::NodeKind::Scan && found.tables.size() == 1 &&
         !found.part.has_aggregate && TableOf(rows).oid == TableOf(found).oid &&
         TableOf(rows).catalog == TableOf(found).catalog && IsRowId(comparison.left, rows) &&
         IsRowId(comparison.right, found);
}

Relation FetchRows(const Relation& rows, const Relation& found) {
  Relation result = rows;
  std::vector<plan::ScanColumn> columns = rows.node->Columns();
  for (const plan::ScanColumn& column : plan::BottomScan(*found.node).Columns()) {
    if (std::any_of(columns.begin(), columns.end(),
                    [&](const auto& other) { return other.id == column.id; })) {
      continue;
    }
    CapturedColumn captured{column.type, column.name, std::nullopt};
    if (column.type.IsVarchar()) {
      captured.origin = TextOrigin{columns.size(), nullptr};
    }
    result.scope.columns.push_back(std::move(captured));
    columns.push_back(column);
  }
  const plan::NodePointer scan = plan::Node::Scan(rows.node->Table(), std::move(columns));
  result.node = Rebase(*found.node, scan).node;
  result.tables = {{scan, TableOf(rows)}};
  result.part.is_sorted = found.part.is_sorted;
  result.part.is_top = found.part.is_top;
  return result;
}

}  // namespace margay::integration
