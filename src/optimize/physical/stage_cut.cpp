#include "optimize/physical/stage_cut.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "optimize/rewrite/prune_scans.hpp"

namespace margay::optimize {

using plan::Expression;
using plan::ExpressionPointer;
using plan::Node;
using plan::NodeKind;
using plan::NodePointer;
using plan::Operation;
using plan::ScanColumn;
using plan::Substitute;
using plan::Type;
using plan::TypeKind;

namespace {

//! The scan of the result of `node`, an aggregate or a union.
NodePointer ScanOf(const Node& node) {
  std::vector<ScanColumn> columns;
  for (const Type& type : node.OutputTypes())
    columns.push_back({columns.size(), "#" + std::to_string(columns.size()), type});
  const bool is_groups = node.Kind() == NodeKind::Aggregate;
  return Node::Scan(is_groups      ? "the groups"
                    : node.Build() ? "the union"
                                   : "the materialised rows",
                    std::move(columns));
}

std::vector<ExpressionPointer> ColumnsOf(const Node& scan) {
  std::vector<ExpressionPointer> columns;
  for (const ScanColumn& column : scan.Columns())
    columns.push_back(Expression::Column(columns.size(), column.type, column.name));
  return columns;
}

//! The predicate that both of these make; either may be null.
ExpressionPointer Both(const ExpressionPointer& first, const ExpressionPointer& second) {
  if (!first || !second)
    return first ? first : second;
  return Expression::Make(Operation::And, TypeKind::Boolean, {first, second});
}

class Cutter {
 public:
  //! `node` over inputs that were cut. Rows for which `wanted`, a predicate that may be null, is
  //! not true are left out above.
  NodePointer CutInputs(const NodePointer& node, const ExpressionPointer& wanted) {
    switch (node->Kind()) {
      case NodeKind::Scan:
        AddScan(nullptr, nullptr);
        return node;
      case NodeKind::Filter:
        return Node::Filter(Cut(node->Input(), Both(node->Predicate(), wanted)), node->Predicate());
      case NodeKind::Project:
        return Node::Project(
            Cut(node->Input(), wanted ? Substitute(wanted, node->Expressions()) : nullptr),
            node->Expressions());
      case NodeKind::Join: {
        NodePointer probe = Cut(node->Input(), nullptr);
        NodePointer build = Cut(node->Build(), nullptr);
        return Node::Join(node->GetJoinKind(), std::move(probe), std::move(build), node->Keys(),
                          node->Residual());
      }
      case NodeKind::Aggregate:
        return Node::GroupBy(Cut(node->Input(), nullptr), node->Expressions(), node->Aggregates());
      case NodeKind::Order:
        return Node::Order(Cut(node->Input(), nullptr), node->OrderKeys(), node->Window());
      case NodeKind::Union:
        return CutOff(node, wanted);
    }
    throw std::logic_error("CutStage: unknown kind of node");
  }

  StageCut cut;

 private:
  NodePointer Cut(const NodePointer& node, const ExpressionPointer& wanted) {
    return node->Kind() == NodeKind::Aggregate ? CutOff(node, wanted) : CutInputs(node, wanted);
  }

  //! The scan of the result of `node`.
  NodePointer CutOff(const NodePointer& node, const ExpressionPointer& wanted) {
    NodePointer scan = ScanOf(*node);
    AddScan(node, wanted ? Substitute(wanted, ColumnsOf(*scan)) : nullptr);
    return scan;
  }

  void AddScan(NodePointer inner, ExpressionPointer wanted) {
    cut.inners.push_back(std::move(inner));
    cut.wanted.push_back(std::move(wanted));
  }
};

}  // namespace

StageCut CutStage(const NodePointer& plan) {
  Cutter cutter;
  cutter.cut.plan = PruneScans(cutter.CutInputs(plan, nullptr));
  return std::move(cutter.cut);
}

}  // namespace margay::optimize
