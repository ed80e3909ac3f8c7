#include "optimize/rewrite/repeated_rows.hpp"

#include <utility>

#include "optimize/rewrite/row_numbers.hpp"

namespace margay::optimize {

using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;
using plan::OutputColumns;
using plan::TypeKind;

NodePointer RepeatRows(const NodePointer& node, size_t count, const NodePointer& most) {
  const auto column = [](size_t number) { return Expression::Column(number, TypeKind::Int64, {}); };
  const ExpressionPointer zero = Expression::Integer(0, TypeKind::Int32);
  NodePointer counts = Node::GroupBy(node, {column(count)}, {});
  // Of the numbers, then of the counts.
  NodePointer copies =
      Node::Join(JoinKind::Inner, NumbersOf(most), std::move(counts), {{zero, zero, false}},
                 Expression::Make(Operation::Less, TypeKind::Boolean, {column(0), column(1)}));
  NodePointer repeated = Node::Join(JoinKind::Inner, node, std::move(copies),
                                    {{column(count), column(1), false}}, nullptr);
  std::vector<ExpressionPointer> outputs = OutputColumns(*node);
  outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(count));
  return Node::Project(std::move(repeated), std::move(outputs));
}

}  // namespace margay::optimize
