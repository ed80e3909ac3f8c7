#include "optimize/value/node_text.hpp"

#include <bit>
#include <cstdio>
#include <stdexcept>

namespace margay::optimize {

namespace {

std::string ParameterName(uint64_t number) {
  return "$" + std::to_string(number);
}

std::string RealText(const Node& node) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g",
                std::bit_cast<double>(static_cast<int64_t>(node.integer)));
  return text;
}

}  // namespace

NodeText::NodeText(const NodeGraph& graph, NameOf column_name, NameOf table_name)
    : column_name_(std::move(column_name)), table_name_(std::move(table_name)) {
  for (const Node& node : graph.Nodes()) {
    for (const Node* operand : node.operands)
      uses_[operand]++;
  }
}

std::string NodeText::Of(const Node* node) {
  if (const auto known = names_.find(node); known != names_.end())
    return known->second;
  std::string text = Write(*node);
  if (node->operands.empty() || uses_[node] < 2)
    return text;
  std::string name = "v" + std::to_string(definitions_.size() + 1);
  definitions_.emplace_back(name, std::move(text));
  names_.emplace(node, name);
  return name;
}

std::string NodeText::WriteCall(const std::string& function, const Node& node) {
  std::string text = function + "(";
  for (size_t i = 0; i < node.operands.size(); i++)
    text += (i == 0 ? "" : ", ") + Of(node.operands[i]);
  return text + ")";
}

std::string NodeText::WriteLeaf(const Node& node) const {
  switch (node.kind) {
    case NodeKind::Column:
    case NodeKind::TextColumn:
      return column_name_(node.number);
    case NodeKind::ColumnNull:
      return "is_null(" + column_name_(node.number) + ")";
    case NodeKind::Missing:
      return "is_missing(" + table_name_(node.number) + ")";
    case NodeKind::RowNumber:
      return "row(" + table_name_(node.number) + ")";
    case NodeKind::TextRow:
      return "text_row(" + column_name_(node.number) + ")";
    case NodeKind::Interned:
      return "interned(" + std::to_string(node.number) + ")";
    case NodeKind::GroupWord:
      return "word(" + std::to_string(node.number) + ")";
    case NodeKind::GroupIndex:
      return "index(" + std::to_string(node.number) + ")";
    case NodeKind::Parameter:
      return ParameterName(node.number);
    case NodeKind::Literal:
      return ToString(node.integer);
    case NodeKind::Real:
      return RealText(node);
    case NodeKind::Flag:
      return node.number != 0 ? "true" : "false";
    case NodeKind::Table:
      return "table(" + ParameterName(node.number) + ")";
    default:
      throw std::logic_error("NodeText: a node without operands that should have some");
  }
}

std::string NodeText::Write(const Node& node) {
  switch (node.kind) {
    case NodeKind::Convert:
      return "(" + std::string(MachineName(node.machine)) + ")" + Of(node.operands[0]);
    case NodeKind::Wrapping:
    case NodeKind::Compare:
    case NodeKind::Infix:
      return "(" + Of(node.operands[0]) + " " + node.symbol + " " + Of(node.operands[1]) + ")";
    case NodeKind::And:
      return "(" + Of(node.operands[0]) + " && " + Of(node.operands[1]) + ")";
    case NodeKind::Or:
      return "(" + Of(node.operands[0]) + " || " + Of(node.operands[1]) + ")";
    case NodeKind::Not:
      return "!" + Of(node.operands[0]);
    case NodeKind::Select:
      return "(" + Of(node.operands[0]) + " ? " + Of(node.operands[1]) + " : " +
             Of(node.operands[2]) + ")";
    case NodeKind::Calendar:
    case NodeKind::Call:
    case NodeKind::CallOutput:
    case NodeKind::TextTrim:
      return WriteCall(node.symbol, node);
    case NodeKind::Sign:
      return WriteCall("sign", node);
    case NodeKind::InRange:
      return WriteCall("in_range", node);
    case NodeKind::Output:
      return WriteCall("second", node);
    case NodeKind::Member:
      return Of(node.operands[0]) + "." + node.symbol;
    case NodeKind::Element:
      return ParameterName(node.number) + "[" + Of(node.operands[0]) + "]";
    case NodeKind::Bit:
      return WriteCall("bit_of_" + ParameterName(node.number), node);
    case NodeKind::TextConstant:
      return "text(" + ParameterName(node.number) + ")";
    case NodeKind::TextSlice:
      return WriteCall("slice", node);
    case NodeKind::TextEntry:
      return WriteCall("entry", node);
    default:
      return WriteLeaf(node);
  }
}

}  // namespace margay::optimize
