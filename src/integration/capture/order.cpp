#include <algorithm>
#include <utility>

#include "duckdb/planner/operator/logical_distinct.hpp"
#include "duckdb/planner/operator/logical_limit.hpp"
#include "duckdb/planner/operator/logical_order.hpp"
#include "duckdb/planner/operator/logical_top_n.hpp"
#include "integration/capture/relation.hpp"
#include "integration/version/expressions.hpp"
#include "optimize/rewrite/uncompressed.hpp"

namespace margay::integration {

namespace {

using duckdb::BoundLimitNode;
using duckdb::LimitNodeType;
using duckdb::LogicalOperatorType;

//! The Order of a relation; null if it has none.
const plan::Node* FindOrder(const Relation& relation) {
  const plan::Node* node = relation.node.get();
  while (node->Kind() == plan::NodeKind::Project) {
    node = node->Input().get();
  }
  return node->Kind() == plan::NodeKind::Order ? node : nullptr;
}

//! `node`, an Order below any number of Projects, with another window.
plan::NodePointer WithWindow(const plan::Node& node, const plan::RowWindow& window) {
  if (node.Kind() == plan::NodeKind::Project) {
    return plan::Node::Project(WithWindow(*node.Input(), window), node.Expressions());
  }
  return plan::Node::Order(node.Input(), node.OrderKeys(), window);
}

//! The input of an Order, which may be below any number of Projects.
plan::NodePointer WithoutOrder(const plan::NodePointer& node) {
  if (node->Kind() == plan::NodeKind::Project) {
    return plan::Node::Project(WithoutOrder(node->Input()), node->Expressions());
  }
  return node->Input();
}

Reason CaptureKeys(duckdb::ClientContext& context,
                   const duckdb::vector<duckdb::BoundOrderByNode>& orders, const Relation& relation,
                   std::vector<plan::OrderKey>& keys) {
  const ExpressionCapture capture(context, relation.scope);
  for (const duckdb::BoundOrderByNode& order : orders) {
    CapturedExpression captured = capture.Capture(*order.expression);
    if (!captured) {
      return captured.reason;
    }
    keys.push_back({std::move(captured.expression), order.type == duckdb::OrderType::DESCENDING,
                    order.null_order == duckdb::OrderByNullType::NULLS_FIRST});
  }
  return std::nullopt;
}

//! Whether keys of `order` are more than columns, as they are or compressed: they may raise errors.
bool ComputesKeys(const plan::Node& order) {
  return std::any_of(
      order.OrderKeys().begin(), order.OrderKeys().end(), [&](const plan::OrderKey& key) {
        plan::ExpressionPointer expression = key.expression;
        for (const plan::Node* node = order.Input().get(); node->Kind() == plan::NodeKind::Project;
             node = node->Input().get()) {
          expression = plan::Substitute(expression, node->Expressions());
        }
        expression = optimize::Uncompressed(expression);
        const bool is_compressed = expression->GetOperation() == plan::Operation::Dictionary &&
                                   expression->Function().IsIncreasing();
        return expression->GetOperation() != plan::Operation::Column && !is_compressed;
      });
}

//! Whether `keys`, over the columns of `relation`, are those of its Order.
bool IsSameOrder(const Relation& relation, std::vector<plan::OrderKey> keys) {
  for (plan::OrderKey& key : keys) {
    if (key.expression->GetOperation() != plan::Operation::Column) {
      continue;
    }
    const CapturedColumn& column = relation.scope.columns[key.expression->ColumnIndex()];
    if (IsCompressedTableText(column)) {
      const size_t base = column.origin->base;
      key.expression = plan::Expression::Column(base, plan::TypeKind::Varchar,
                                                relation.scope.columns[base].name);
    }
  }
  const plan::Node* node = relation.node.get();
  for (; node->Kind() == plan::NodeKind::Project; node = node->Input().get()) {
    for (plan::OrderKey& key : keys) {
      key.expression = plan::Substitute(key.expression, node->Expressions());
    }
  }
  return std::equal(keys.begin(), keys.end(), node->OrderKeys().begin(), node->OrderKeys().end(),
                    [](const plan::OrderKey& a, const plan::OrderKey& b) {
                      return a.is_descending == b.is_descending && a.nulls_first == b.nulls_first &&
                             plan::SameExpression(*optimize::Uncompressed(a.expression),
                                                  *optimize::Uncompressed(b.expression));
                    });
}

//! Whether this is the order in which a limit gives the rows of a table anyway.
bool IsTableOrder(const duckdb::vector<duckdb::BoundOrderByNode>& orders,
                  const Relation& relation) {
  if (orders.size() != 1 || orders[0].type != duckdb::OrderType::ASCENDING ||
      !IsColumnReference(*orders[0].expression)) {
    return false;
  }
  const CapturedBinding* binding = relation.scope.Find(*orders[0].expression);
  const plan::Node* order = FindOrder(relation);
  return binding != nullptr && binding->is_row_id && relation.tables.size() == 1 &&
         order != nullptr && order->OrderKeys().empty();
}

Reason AddSorted(duckdb::ClientContext& context,
                 const duckdb::vector<duckdb::BoundOrderByNode>& orders,
                 const plan::RowWindow& window, Relation& relation) {
  if (IsTableOrder(orders, relation)) {
    return std::nullopt;
  }
  std::vector<plan::OrderKey> keys;
  if (Reason reason = CaptureKeys(context, orders, relation, keys)) {
    return reason;
  }
  if (IsOrdered(relation)) {
    return IsSameOrder(relation, std::move(keys))
               ? std::nullopt
               : Reason(NotSupported("ORDER BY above ORDER BY or LIMIT"));
  }
  relation.node = plan::Node::Order(relation.node, std::move(keys), window);
  relation.part.is_sorted = true;
  return std::nullopt;
}

bool IsConstantOrUnset(const BoundLimitNode& node) {
  return node.Type() == LimitNodeType::CONSTANT_VALUE || node.Type() == LimitNodeType::UNSET;
}

Reason AddLimit(const duckdb::LogicalLimit& limit, Relation& relation) {
  if (!IsConstantOrUnset(limit.limit_val) || !IsConstantOrUnset(limit.offset_val)) {
    return NotSupported("a LIMIT or OFFSET that is no constant number of rows");
  }
  plan::RowWindow window;
  if (limit.limit_val.Type() == LimitNodeType::CONSTANT_VALUE) {
    window.limit = limit.limit_val.GetConstantValue();
  }
  if (limit.offset_val.Type() == LimitNodeType::CONSTANT_VALUE) {
    window.offset = limit.offset_val.GetConstantValue();
  }
  const plan::Node* order = FindOrder(relation);
  if (order == nullptr) {
    relation.node = plan::Node::Order(relation.node, {}, window);
    return std::nullopt;
  }
  if (order->Window().limit || order->Window().offset != 0) {
    return NotSupported("a LIMIT above another one");
  }
  relation.node = WithWindow(*relation.node, window);
  return std::nullopt;
}

}  // namespace

bool IsOrdered(const Relation& relation) {
  return FindOrder(relation) != nullptr;
}

void ForgetOrder(Relation& relation) {
  const plan::Node* order = FindOrder(relation);
  if (order == nullptr || order->Window().limit || order->Window().offset != 0 ||
      ComputesKeys(*order)) {
    return;
  }
  relation.node = WithoutOrder(relation.node);
  relation.part.is_sorted = false;
}

bool KeepsOrder(const duckdb::LogicalOperator& op) {
  return op.type == LogicalOperatorType::LOGICAL_PROJECTION ||
         op.type == LogicalOperatorType::LOGICAL_ORDER_BY ||
         op.type == LogicalOperatorType::LOGICAL_LIMIT;
}

bool IgnoresOrder(const duckdb::LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY:
      return std::none_of(op.expressions.begin(), op.expressions.end(), [](const auto& expression) {
        const std::string& name = FunctionName(*expression);
        return name == "first" || name == "last" || name == "arbitrary" || name == "any_value";
      });
    case LogicalOperatorType::LOGICAL_DISTINCT: {
      const auto& distinct = op.Cast<duckdb::LogicalDistinct>();
      return distinct.distinct_type == duckdb::DistinctType::DISTINCT || distinct.order_by;
    }
    default:
      return false;
  }
}

Reason AddOrder(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_LIMIT:
      return AddLimit(op.Cast<duckdb::LogicalLimit>(), relation);
    case LogicalOperatorType::LOGICAL_TOP_N: {
      const auto& top = op.Cast<duckdb::LogicalTopN>();
      relation.part.is_top = true;
      return AddSorted(context, top.orders, {top.limit, top.offset}, relation);
    }
    default: {
      const auto& order = op.Cast<duckdb::LogicalOrder>();
      if (Reason reason = AddSorted(context, order.orders, {}, relation)) {
        return reason;
      }
      relation.scope.bindings = MapBindings(relation.scope.bindings, order.projection_map);
      return std::nullopt;
    }
  }
}

}  // namespace margay::integration
