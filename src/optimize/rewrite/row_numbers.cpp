#include "optimize/rewrite/row_numbers.hpp"

#include <utility>

namespace margay::optimize {

using plan::Expression;
using plan::ExpressionPointer;
using plan::GivesBuildSide;
using plan::Node;
using plan::NodeKind;
using plan::NodePointer;
using plan::Operation;
using plan::OutputColumns;
using plan::Substitute;
using plan::TypeKind;
using plan::VisitColumns;

namespace {

//! Whether each row of `node` is of another row of the table at its bottom, which has columns.
bool IsOfOneTable(const Node& node) {
  switch (node.Kind()) {
    case NodeKind::Scan:
      return !node.Columns().empty();
    case NodeKind::Aggregate:
    case NodeKind::Union:
      return true;
    case NodeKind::Filter:
    case NodeKind::Project:
      return IsOfOneTable(*node.Input());
    case NodeKind::Join:
      return !GivesBuildSide(node.GetJoinKind()) && IsOfOneTable(*node.Input());
    case NodeKind::Order:
      return false;
  }
  return false;
}

//! `node` over a table of its rows, which has the columns that its projections read.
NodePointer KeepRows(const NodePointer& node) {
  std::vector<ExpressionPointer> outputs = OutputColumns(*node);
  NodePointer rows = node;
  for (; rows->Kind() == NodeKind::Project; rows = rows->Input()) {
    for (ExpressionPointer& output : outputs) {
      output = Substitute(output, rows->Expressions());
    }
  }
  const std::vector<ExpressionPointer> columns = OutputColumns(*rows);
  std::vector<ExpressionPointer> read;
  std::vector<ExpressionPointer> places(columns.size());
  const auto keep = [&](size_t column) {
    if (!places[column]) {
      places[column] = Expression::Column(read.size(), columns[column]->GetType(), {});
      read.push_back(columns[column]);
    }
  };
  for (const ExpressionPointer& output : outputs) {
    VisitColumns(*output, keep);
  }
  if (read.empty()) {
    read.push_back(Expression::Integer(0, TypeKind::Int32));
  }
  for (ExpressionPointer& output : outputs) {
    output = Substitute(output, places);
  }
  return Node::Project(Node::Keep(Node::Project(rows, std::move(read))), std::move(outputs));
}

//! `node`, whose rows are of one table, with a column behind its own: the number of the row there.
NodePointer AddNumber(const NodePointer& node) {
  switch (node->Kind()) {
    case NodeKind::Filter:
      return Node::Filter(AddNumber(node->Input()), node->Predicate());
    case NodeKind::Project: {
      NodePointer input = AddNumber(node->Input());
      std::vector<ExpressionPointer> outputs = node->Expressions();
      outputs.push_back(OutputColumns(*input).back());
      return Node::Project(std::move(input), std::move(outputs));
    }
    case NodeKind::Join: {
      // The columns of the build side come behind the number.
      std::vector<ExpressionPointer> columns = OutputColumns(*node->Input());
      const std::vector<ExpressionPointer> build =
          OutputColumns(*node->Build(), columns.size() + 1);
      columns.insert(columns.end(), build.begin(), build.end());
      return Node::Join(node->GetJoinKind(), AddNumber(node->Input()), node->Build(), node->Keys(),
                        node->Residual() ? Substitute(node->Residual(), columns) : nullptr);
    }
    default: {
      std::vector<ExpressionPointer> outputs = OutputColumns(*node);
      outputs.push_back(Expression::Make(Operation::RowNumber, TypeKind::Int64, {outputs[0]}));
      return Node::Project(node, std::move(outputs));
    }
  }
}

}  // namespace

NodePointer NumberRows(const NodePointer& node) {
  return AddNumber(IsOfOneTable(*node) ? node : KeepRows(node));
}

NodePointer NumbersOf(const NodePointer& node) {
  NodePointer table = node;
  if (IsOfOneTable(*node)) {
    while (table->Kind() != NodeKind::Scan && table->Kind() != NodeKind::Aggregate &&
           table->Kind() != NodeKind::Union) {
      table = table->Input();
    }
  } else {
    table = Node::Keep(Node::Project(node, {Expression::Integer(0, TypeKind::Int32)}));
  }
  NodePointer numbered = AddNumber(table);
  ExpressionPointer number = OutputColumns(*numbered).back();
  return Node::Project(std::move(numbered), {std::move(number)});
}

}  // namespace margay::optimize
