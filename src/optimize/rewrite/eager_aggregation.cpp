#include "optimize/rewrite/eager_aggregation.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "optimize/estimate/uniqueness.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

using plan::Aggregate;
using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::Node;
using plan::NodeKind;
using plan::NodePointer;

namespace {

//! An aggregate over a left join, without the projections in between.
struct GroupedJoin {
  const Node* join = nullptr;
  std::vector<ExpressionPointer> groups;  //!< over the columns of the join
  std::vector<Aggregate> aggregates;
};

std::optional<GroupedJoin> FindJoin(const Node& aggregate) {
  GroupedJoin grouped{aggregate.Input().get(), aggregate.Expressions(), aggregate.Aggregates()};
  for (; grouped.join->Kind() == NodeKind::Project; grouped.join = grouped.join->Input().get()) {
    for (ExpressionPointer& group : grouped.groups)
      group = plan::Substitute(group, grouped.join->Expressions());
    for (Aggregate& of : grouped.aggregates) {
      if (of.argument)
        of.argument = plan::Substitute(of.argument, grouped.join->Expressions());
    }
  }
  const bool is_left_join = grouped.join->Kind() == NodeKind::Join &&
                            grouped.join->GetJoinKind() == plan::JoinKind::Left &&
                            !grouped.join->Residual();
  return is_left_join ? std::optional(std::move(grouped)) : std::nullopt;
}

//! The id of the scan's column that output `column` of `node` is, where no row of the scan comes
//! twice.
std::optional<uint64_t> ScannedColumn(const Node& node, size_t column) {
  switch (node.Kind()) {
    case NodeKind::Scan:
      return node.Columns()[column].id;
    case NodeKind::Filter:
      return ScannedColumn(*node.Input(), column);
    case NodeKind::Project: {
      const Expression* inner = OneToOneColumn(*node.Expressions()[column]);
      return inner == nullptr ? std::nullopt : ScannedColumn(*node.Input(), inner->ColumnIndex());
    }
    default:
      return std::nullopt;
  }
}

class Rewriter {
 public:
  explicit Rewriter(const IsUniqueColumn& is_unique) : is_unique_(is_unique) {}

  bool HasChanged() const { return has_changed_; }

  //! `node`, whose first scan has the number `scan`.
  NodePointer Rewrite(const NodePointer& node, size_t scan) {
    switch (node->Kind()) {
      case NodeKind::Scan:
        return node;
      case NodeKind::Filter:
        return Node::Filter(Rewrite(node->Input(), scan), node->Predicate());
      case NodeKind::Project:
        return Node::Project(Rewrite(node->Input(), scan), node->Expressions());
      case NodeKind::Join: {
        NodePointer probe = Rewrite(node->Input(), scan);
        NodePointer build = Rewrite(node->Build(), scan + plan::Scans(*node->Input()).size());
        return Node::Join(node->GetJoinKind(), std::move(probe), std::move(build), node->Keys(),
                          node->Residual());
      }
      case NodeKind::Aggregate: {
        NodePointer& rewritten = shared_[node.get()];
        if (!rewritten)
          rewritten = RewriteAggregate(*node, scan);
        return rewritten;
      }
      case NodeKind::Union: {
        NodePointer& rewritten = shared_[node.get()];
        if (!rewritten) {
          NodePointer first = Rewrite(node->Input(), scan);
          NodePointer second =
              node->Build() ? Rewrite(node->Build(), scan + plan::Scans(*node->Input()).size())
                            : nullptr;
          rewritten = Node::Union(std::move(first), std::move(second));
        }
        return rewritten;
      }
      case NodeKind::Order:
        return Node::Order(Rewrite(node->Input(), scan), node->OrderKeys(), node->Window());
    }
    throw std::logic_error("AggregateEagerly: unknown kind of node");
  }

 private:
  NodePointer RewriteAggregate(const Node& node, size_t scan) {
    const auto grouped = FindJoin(node);
    if (!grouped || !CanGroupFirst(*grouped, scan))
      return Node::GroupBy(Rewrite(node.Input(), scan), node.Expressions(), node.Aggregates());
    has_changed_ = true;
    return GroupFirst(*grouped, scan);
  }

  bool CanGroupFirst(const GroupedJoin& grouped, size_t scan) const {
    const Node& probe = *grouped.join->Input();
    const size_t probe_columns = probe.OutputTypes().size();
    bool has_own_groups = false;
    for (const ExpressionPointer& group : grouped.groups) {
      bool is_of_probe = true;
      VisitColumns(*group,
                   [&](size_t column) { is_of_probe = is_of_probe && column < probe_columns; });
      if (!is_of_probe)
        return false;
      const Expression* column = OneToOneColumn(*group);
      const auto scanned =
          column == nullptr ? std::nullopt : ScannedColumn(probe, column->ColumnIndex());
      has_own_groups = has_own_groups || (scanned && is_unique_(scan, *scanned));
    }
    // A column of the build side is NULL where the join finds nothing, as an aggregate is.
    return has_own_groups && std::all_of(grouped.aggregates.begin(), grouped.aggregates.end(),
                                         [&](const Aggregate& aggregate) {
                                           return !aggregate.argument ||
                                                  IsColumnFrom(*aggregate.argument, probe_columns);
                                         });
  }

  static bool IsColumnFrom(const Expression& expression, size_t first) {
    return expression.GetOperation() == plan::Operation::Column &&
           expression.ColumnIndex() >= first;
  }

  NodePointer GroupFirst(const GroupedJoin& grouped, size_t scan) {
    const Node& join = *grouped.join;
    const size_t probe_columns = join.Input()->OutputTypes().size();
    std::vector<ExpressionPointer> build_keys;
    std::vector<plan::JoinKey> keys;
    for (const plan::JoinKey& key : join.Keys()) {
      keys.push_back({key.probe, Expression::Column(keys.size(), key.build->GetType(), ""),
                      key.nulls_are_equal});
      build_keys.push_back(key.build);
    }
    std::vector<ExpressionPointer> outputs = grouped.groups;
    std::vector<Aggregate> aggregates = grouped.aggregates;
    for (size_t i = 0; i < aggregates.size(); i++) {
      Aggregate& aggregate = aggregates[i];
      if (aggregate.argument) {
        aggregate.argument =
            Expression::Column(aggregate.argument->ColumnIndex() - probe_columns,
                               aggregate.argument->GetType(), aggregate.argument->ColumnName());
      }
      outputs.push_back(WithoutMatch(
          aggregate, Expression::Column(probe_columns + keys.size() + i, aggregate.type, "")));
    }
    NodePointer probe = Rewrite(join.Input(), scan);
    NodePointer build = Rewrite(join.Build(), scan + plan::Scans(*join.Input()).size());
    build = Node::GroupBy(std::move(build), std::move(build_keys), std::move(aggregates));
    return Node::Project(Node::Join(plan::JoinKind::Left, std::move(probe), std::move(build),
                                    std::move(keys), nullptr),
                         std::move(outputs));
  }

  //! `value`, that of `aggregate` behind the join, or what the aggregate is of the one row of NULLs
  //! that the join gives where it finds nothing.
  static ExpressionPointer WithoutMatch(const Aggregate& aggregate, ExpressionPointer value) {
    if (aggregate.function != AggregateFunction::CountStar &&
        aggregate.function != AggregateFunction::Count)
      return value;
    const int rows = aggregate.function == AggregateFunction::CountStar ? 1 : 0;
    return Expression::Make(plan::Operation::Coalesce, aggregate.type,
                            {std::move(value), Expression::Integer(rows, aggregate.type)});
  }

  const IsUniqueColumn& is_unique_;
  bool has_changed_ = false;
  //! By the aggregates and unions of the plan that was given: one that it has in several places
  //! stays one.
  std::unordered_map<const Node*, NodePointer> shared_;
};

}  // namespace

NodePointer AggregateEagerly(const NodePointer& plan, const IsUniqueColumn& is_unique) {
  Rewriter rewriter(is_unique);
  NodePointer rewritten = rewriter.Rewrite(plan, 0);
  return rewriter.HasChanged() ? rewritten : nullptr;
}

}  // namespace margay::optimize
