#include "optimize/value/node.hpp"

#include <gtest/gtest.h>

namespace margay::optimize {
namespace {

TEST(NodeGraph, HasEachNodeOnce) {
  NodeGraph graph;
  const Node* column = graph.Column(0, Machine::Int32);
  const Node* one = graph.Literal(1, Machine::Int32);
  EXPECT_EQ(graph.Wrapping("+", column, one), graph.Wrapping("+", column, one));
  EXPECT_NE(graph.Wrapping("+", column, one), graph.Wrapping("-", column, one));
  EXPECT_NE(graph.Literal(1, Machine::Int64), one);
  EXPECT_NE(graph.Parameter(0, Machine::Int32), graph.FlagParameter(0));
  for (const Node& node : graph.Nodes()) {
    for (const Node* operand : node.operands)
      EXPECT_LT(operand->id, node.id);
  }
}

TEST(NodeGraph, LeavesOutWhatChangesNothing) {
  NodeGraph graph;
  const Node* flag = graph.ColumnNull(0);
  EXPECT_EQ(graph.And(flag, graph.Flag(true)), flag);
  EXPECT_EQ(graph.Or(graph.Flag(false), flag), flag);
  EXPECT_EQ(graph.Not(graph.Not(flag)), flag);
  EXPECT_EQ(graph.Not(graph.Flag(true)), graph.Flag(false));
  const Node* number = graph.Column(1, Machine::Int64);
  EXPECT_EQ(graph.Convert(number, Machine::Int64), number);
}

TEST(NodeGraph, KnowsWhichFunctionsAreUsed) {
  NodeGraph graph;
  EXPECT_TRUE(graph.Sources().empty());
  const Node* text = graph.TextColumn(0);
  const Node* place = graph.Parameter(0, Machine::Int64);
  graph.TextSlice(text, place, place);
  EXPECT_EQ(graph.Sources(), (std::set<std::string>{"text.cl", "text_slice.cl"}));
}

}  // namespace
}  // namespace margay::optimize
