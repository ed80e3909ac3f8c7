#include "compile/kernel_context.hpp"

#include <algorithm>

namespace margay::compile {

std::vector<size_t> StringColumns(const optimize::NodeGraph& graph) {
  std::vector<size_t> columns;
  for (const optimize::Node& node : graph.Nodes()) {
    // With a third operand the strings come with the query.
    if (node.kind == optimize::NodeKind::TextEntry && node.operands.size() == 2 &&
        std::find(columns.begin(), columns.end(), node.number) == columns.end())
      columns.push_back(node.number);
  }
  return columns;
}

}  // namespace margay::compile
