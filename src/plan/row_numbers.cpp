#include "plan/row_numbers.hpp"

#include <utility>

namespace margay::plan {

namespace {

ExpressionPointer ColumnOf(const Node& node, size_t column) {
  return Expression::Column(column, node.OutputTypes()[column], {});
}

std::vector<ExpressionPointer> ColumnsOf(const Node& node) {
  std::vector<ExpressionPointer> columns;
  for (size_t i = 0; i < node.OutputTypes().size(); i++) {
    columns.push_back(ColumnOf(node, i));
  }
  return columns;
}

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
      return (node.GetJoinKind() == JoinKind::Semi || node.GetJoinKind() == JoinKind::Anti) &&
             IsOfOneTable(*node.Input());
    case NodeKind::Order:
      return false;
  }
  return false;
}

//! `node` over a table of its rows, which has the columns that its projections read.
NodePointer KeepRows(const NodePointer& node) {
  std::vector<ExpressionPointer> outputs = ColumnsOf(*node);
  NodePointer rows = node;
  for (; rows->Kind() == NodeKind::Project; rows = rows->Input()) {
    for (ExpressionPointer& output : outputs) {
      output = Substitute(output, rows->Expressions());
    }
  }
  std::vector<ExpressionPointer> read;
  std::vector<ExpressionPointer> places(rows->OutputTypes().size());
  const auto keep = [&](size_t column) {
    if (!places[column]) {
      places[column] = Expression::Column(read.size(), rows->OutputTypes()[column], {});
      read.push_back(ColumnOf(*rows, column));
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
      outputs.push_back(ColumnsOf(*input).back());
      return Node::Project(std::move(input), std::move(outputs));
    }
    case NodeKind::Join: {
      // The columns of the build side come behind the number.
      std::vector<ExpressionPointer> columns = ColumnsOf(*node->Input());
      for (const Type& type : node->Build()->OutputTypes()) {
        columns.push_back(Expression::Column(columns.size() + 1, type, {}));
      }
      return Node::Join(node->GetJoinKind(), AddNumber(node->Input()), node->Build(), node->Keys(),
                        node->Residual() ? Substitute(node->Residual(), columns) : nullptr);
    }
    default: {
      std::vector<ExpressionPointer> outputs = ColumnsOf(*node);
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
  ExpressionPointer number = ColumnsOf(*numbered).back();
  return Node::Project(std::move(numbered), {std::move(number)});
}

}  // namespace margay::plan
