#include "plan/stages.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "plan/prune_scans.hpp"

namespace margay::plan {

namespace {

//! The scan of the result of `aggregate`.
NodePointer ScanOf(const Node& aggregate) {
  std::vector<ScanColumn> columns;
  for (const Type& type : aggregate.OutputTypes())
    columns.push_back({columns.size(), "#" + std::to_string(columns.size()), type});
  return Node::Scan("the groups", std::move(columns));
}

NodePointer Cut(const NodePointer& node, std::vector<NodePointer>& inners);

//! `node` over inputs that were cut.
NodePointer CutInputs(const NodePointer& node, std::vector<NodePointer>& inners) {
  switch (node->Kind()) {
    case NodeKind::Scan:
      inners.push_back(nullptr);
      return node;
    case NodeKind::Filter:
      return Node::Filter(Cut(node->Input(), inners), node->Predicate());
    case NodeKind::Project:
      return Node::Project(Cut(node->Input(), inners), node->Expressions());
    case NodeKind::Join: {
      NodePointer probe = Cut(node->Input(), inners);
      NodePointer build = Cut(node->Build(), inners);
      return Node::Join(node->GetJoinKind(), std::move(probe), std::move(build), node->Keys(),
                        node->Residual());
    }
    case NodeKind::Aggregate:
      return Node::GroupBy(Cut(node->Input(), inners), node->Expressions(), node->Aggregates());
    case NodeKind::Order:
      return Node::Order(Cut(node->Input(), inners), node->OrderKeys(), node->Window());
  }
  throw std::logic_error("CutStages: unknown kind of node");
}

NodePointer Cut(const NodePointer& node, std::vector<NodePointer>& inners) {
  if (node->Kind() != NodeKind::Aggregate)
    return CutInputs(node, inners);
  inners.push_back(node);
  return ScanOf(*node);
}

}  // namespace

Stages CutStages(const NodePointer& plan) {
  Stages stages;
  stages.plan = PruneScans(CutInputs(plan, stages.inners));
  return stages;
}

}  // namespace margay::plan
