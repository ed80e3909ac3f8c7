#include "optimize/rewrite/prune_scans.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace margay::optimize {

using plan::Aggregate;
using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKey;
using plan::Node;
using plan::NodeKind;
using plan::NodePointer;
using plan::Operation;
using plan::OrderKey;
using plan::ScanColumn;
using plan::Substitute;
using plan::Type;
using plan::VisitColumns;

namespace {

//! Where each column of a node is once the node is pruned; none for those left out.
using Positions = std::vector<std::optional<size_t>>;

struct Pruned {
  NodePointer node;
  Positions positions;  //!< of the output columns that the node had before
};

void Mark(const Expression& expression, std::vector<bool>& used) {
  VisitColumns(expression, [&](size_t column) { used[column] = true; });
}

void CollectReplacements(const Expression& expression, const Positions& positions,
                         std::vector<ExpressionPointer>& replacements) {
  if (expression.GetOperation() == Operation::Column) {
    const size_t column = expression.ColumnIndex();
    replacements[column] = Expression::Column(positions[column].value(), expression.GetType(),
                                              expression.ColumnName());
  }
  for (const ExpressionPointer& operand : expression.Operands()) {
    CollectReplacements(*operand, positions, replacements);
  }
}

ExpressionPointer Renumber(const ExpressionPointer& expression, const Positions& positions) {
  std::vector<ExpressionPointer> replacements(positions.size());
  CollectReplacements(*expression, positions, replacements);
  return Substitute(expression, replacements);
}

//! One walk over a plan. An aggregate or a union that the plan has in several places stays one.
class Pruner {
 public:
  //! `node` with at least those of its output columns that are `used`.
  Pruned Prune(const Node& node, std::vector<bool> used) {
    switch (node.Kind()) {
      case NodeKind::Scan:
        return PruneScan(node, used);
      case NodeKind::Filter:
        return PruneFilter(node, std::move(used));
      case NodeKind::Project:
        return PruneProject(node, used);
      case NodeKind::Join:
        return PruneJoin(node, std::move(used));
      case NodeKind::Aggregate:
      case NodeKind::Union:
        return PruneOnce(node);
      case NodeKind::Order:
        return PruneOrder(node, std::move(used));
    }
    throw std::logic_error("PruneScans: unknown kind of node");
  }

 private:
  Pruned PruneScan(const Node& node, const std::vector<bool>& used) {
    Pruned result;
    std::vector<ScanColumn> columns;
    for (size_t i = 0; i < used.size(); i++) {
      result.positions.push_back(used[i] ? std::optional(columns.size()) : std::nullopt);
      if (used[i]) {
        columns.push_back(node.Columns()[i]);
      }
    }
    result.node = Node::Scan(node.Table(), std::move(columns));
    return result;
  }

  Pruned PruneFilter(const Node& node, std::vector<bool> used) {
    Mark(*node.Predicate(), used);
    Pruned input = Prune(*node.Input(), std::move(used));
    return {Node::Filter(std::move(input.node), Renumber(node.Predicate(), input.positions)),
            std::move(input.positions)};
  }

  Pruned PruneProject(const Node& node, const std::vector<bool>& used) {
    std::vector<bool> used_input(node.Input()->OutputTypes().size());
    for (size_t i = 0; i < used.size(); i++) {
      if (used[i]) {
        Mark(*node.Expressions()[i], used_input);
      }
    }
    Pruned input = Prune(*node.Input(), std::move(used_input));
    std::vector<ExpressionPointer> expressions;
    Positions positions;
    for (size_t i = 0; i < used.size(); i++) {
      positions.push_back(used[i] ? std::optional(expressions.size()) : std::nullopt);
      if (used[i]) {
        expressions.push_back(Renumber(node.Expressions()[i], input.positions));
      }
    }
    return {Node::Project(std::move(input.node), std::move(expressions)), std::move(positions)};
  }

  Pruned PruneJoin(const Node& node, std::vector<bool> used) {
    const size_t probe_columns = node.Input()->OutputTypes().size();
    const size_t build_columns = node.Build()->OutputTypes().size();
    const size_t outputs = used.size();
    used.resize(probe_columns + build_columns);
    if (node.Residual()) {
      Mark(*node.Residual(), used);
    }
    const auto middle = used.begin() + static_cast<std::ptrdiff_t>(probe_columns);
    std::vector<bool> used_probe(used.begin(), middle);
    std::vector<bool> used_build(middle, used.end());
    for (const JoinKey& key : node.Keys()) {
      Mark(*key.probe, used_probe);
      Mark(*key.build, used_build);
    }
    Pruned probe = Prune(*node.Input(), std::move(used_probe));
    Pruned build = Prune(*node.Build(), std::move(used_build));

    std::vector<JoinKey> keys;
    for (const JoinKey& key : node.Keys()) {
      keys.push_back({Renumber(key.probe, probe.positions), Renumber(key.build, build.positions),
                      key.nulls_are_equal});
    }
    Positions positions = std::move(probe.positions);
    for (const std::optional<size_t>& position : build.positions) {
      positions.push_back(position ? std::optional(probe.node->OutputTypes().size() + *position)
                                   : std::nullopt);
    }
    ExpressionPointer residual =
        node.Residual() ? Renumber(node.Residual(), positions) : ExpressionPointer();
    positions.resize(outputs);
    return {Node::Join(node.GetJoinKind(), std::move(probe.node), std::move(build.node),
                       std::move(keys), std::move(residual)),
            std::move(positions)};
  }

  NodePointer PruneAggregate(const Node& node) {
    std::vector<bool> used(node.Input()->OutputTypes().size());
    for (const ExpressionPointer& group : node.Expressions()) {
      Mark(*group, used);
    }
    for (const Aggregate& aggregate : node.Aggregates()) {
      if (aggregate.argument) {
        Mark(*aggregate.argument, used);
      }
    }
    Pruned input = Prune(*node.Input(), std::move(used));
    std::vector<ExpressionPointer> groups;
    for (const ExpressionPointer& group : node.Expressions()) {
      groups.push_back(Renumber(group, input.positions));
    }
    std::vector<Aggregate> aggregates = node.Aggregates();
    for (Aggregate& aggregate : aggregates) {
      if (aggregate.argument) {
        aggregate.argument = Renumber(aggregate.argument, input.positions);
      }
    }
    return Node::GroupBy(std::move(input.node), std::move(groups), std::move(aggregates));
  }

  //! `node` with all of its output columns, in their order.
  NodePointer PruneAll(const Node& node) {
    const std::vector<Type>& types = node.OutputTypes();
    Pruned pruned = Prune(node, std::vector<bool>(types.size(), true));
    std::vector<ExpressionPointer> columns;
    bool is_same = pruned.node->OutputTypes().size() == types.size();
    for (size_t i = 0; i < types.size(); i++) {
      is_same = is_same && pruned.positions[i] == i;
      columns.push_back(Expression::Column(pruned.positions[i].value(), types[i], {}));
    }
    return is_same ? pruned.node : Node::Project(std::move(pruned.node), std::move(columns));
  }

  NodePointer PruneUnion(const Node& node) {
    NodePointer first = PruneAll(*node.Input());
    return Node::Union(std::move(first), node.Build() ? PruneAll(*node.Build()) : nullptr);
  }

  //! The same whatever is used of its outputs.
  Pruned PruneOnce(const Node& node) {
    NodePointer& pruned = shared_[&node];
    if (!pruned) {
      pruned = node.Kind() == NodeKind::Aggregate ? PruneAggregate(node) : PruneUnion(node);
    }
    Pruned result;
    for (size_t i = 0; i < node.OutputTypes().size(); i++) {
      result.positions.push_back(i);
    }
    result.node = pruned;
    return result;
  }

  Pruned PruneOrder(const Node& node, std::vector<bool> used) {
    for (const OrderKey& key : node.OrderKeys()) {
      Mark(*key.expression, used);
    }
    Pruned input = Prune(*node.Input(), std::move(used));
    std::vector<OrderKey> keys = node.OrderKeys();
    for (OrderKey& key : keys) {
      key.expression = Renumber(key.expression, input.positions);
    }
    return {Node::Order(std::move(input.node), std::move(keys), node.Window()),
            std::move(input.positions)};
  }

  //! By the aggregates and unions of the plan that was given.
  std::unordered_map<const Node*, NodePointer> shared_;
};

}  // namespace

NodePointer PruneScans(const NodePointer& plan) {
  return Pruner().Prune(*plan, std::vector<bool>(plan->OutputTypes().size(), true)).node;
}

}  // namespace margay::optimize
