#include "sql_node.hpp"

#include <utility>

namespace margay::fuzz {

SqlNode SqlNode::ColumnLeaf(const std::string& text, size_t column) {
  SqlNode node;
  node.pieces = {text};
  node.column = column;
  return node;
}

SqlNode SqlNode::LiteralLeaf(LiteralSlot slot) {
  SqlNode node;
  node.literal = std::move(slot);
  return node;
}

SqlNode SqlNode::Make(std::vector<std::string> pieces, std::vector<SqlNode> children) {
  SqlNode node;
  node.pieces = std::move(pieces);
  node.children = std::move(children);
  return node;
}

SqlNode SqlNode::Binary(const std::string& operation, SqlNode left, SqlNode right) {
  return Make({"(", " " + operation + " ", ")"}, {std::move(left), std::move(right)});
}

SqlNode SqlNode::Cast(SqlNode operand, const plan::Type& type, bool is_try) {
  return Make({is_try ? "TRY_CAST(" : "CAST(", " AS " + type.ToString() + ")"},
              {std::move(operand)});
}

std::string SqlNode::Text() const {
  if (literal) {
    return Literal(literal->cell, literal->type);
  }
  std::string text = pieces[0];
  for (size_t i = 0; i < children.size(); i++) {
    text += children[i].Text() + pieces[i + 1];
  }
  return text;
}

void SqlNode::ForEach(const std::function<void(SqlNode&)>& visit) {
  visit(*this);
  for (SqlNode& child : children) {
    child.ForEach(visit);
  }
}

}  // namespace margay::fuzz
