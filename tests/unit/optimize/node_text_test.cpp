// Nodes as text.
#include "optimize/value/node_text.hpp"

#include <gtest/gtest.h>

namespace margay::optimize {
namespace {

NodeText TextFor(const NodeGraph& graph) {
  return NodeText(
      graph, [](size_t column) { return "c" + std::to_string(column); },
      [](size_t table) { return "t" + std::to_string(table); });
}

TEST(NodeText, WritesWhatAKernelComputes) {
  NodeGraph graph;
  const Node* column = graph.Column(0, Machine::Int32);
  const Node* wide = graph.Convert(column, Machine::Int64);
  const Node* sum = graph.Wrapping("+", wide, graph.Parameter(1, Machine::Int64));
  const Node* test = graph.And(graph.Not(graph.ColumnNull(2)),
                               graph.Compare("<", sum, graph.Literal(7, Machine::Int64)));
  EXPECT_EQ(TextFor(graph).Of(test), "(!is_null(c2) && (((long)c0 + $1) < 7))");
  EXPECT_EQ(TextFor(graph).Of(graph.Select(graph.Missing(1), graph.Flag(false), test)),
            "(is_missing(t1) ? false : (!is_null(c2) && (((long)c0 + $1) < 7)))");
  EXPECT_EQ(TextFor(graph).Of(graph.Call(Machine::Int64, "floor_divide", {sum, column})),
            "floor_divide(((long)c0 + $1), c0)");
  EXPECT_EQ(TextFor(graph).Of(graph.Real(0.5)), "0.5");
}

TEST(NodeText, NamesWhatSeveralComputeWith) {
  NodeGraph graph;
  const Node* sum =
      graph.Wrapping("+", graph.Column(0, Machine::Int64), graph.Column(1, Machine::Int64));
  const Node* square = graph.Wrapping("*", sum, sum);
  const Node* power = graph.Wrapping("*", square, square);
  NodeText text = TextFor(graph);
  EXPECT_EQ(text.Of(power), "(v2 * v2)");
  const std::vector<std::pair<std::string, std::string>> expected{{"v1", "(c0 + c1)"},
                                                                  {"v2", "(v1 * v1)"}};
  EXPECT_EQ(text.Definitions(), expected);
  EXPECT_EQ(text.Of(square), "v2");
}

}  // namespace
}  // namespace margay::optimize
