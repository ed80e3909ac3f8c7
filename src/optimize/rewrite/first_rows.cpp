#include "optimize/rewrite/first_rows.hpp"

#include <algorithm>
#include <utility>

#include "optimize/rewrite/domain.hpp"
#include "optimize/rewrite/row_numbers.hpp"

namespace margay::optimize {

using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKey;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;
using plan::OrderKey;
using plan::OutputColumns;
using plan::SameExpression;
using plan::TypeKind;

namespace {

//! The keys of `order` that can tell rows of a group apart, with a key of its own for NULLs that
//! come first.
std::vector<OrderKey> KeysWithin(const Node& node, const std::vector<ExpressionPointer>& groups,
                                 const std::vector<OrderKey>& order) {
  std::vector<OrderKey> keys;
  const auto is_known = [&](const ExpressionPointer& expression) {
    const auto is_same = [&](const Expression& other) {
      return SameExpression(*expression, other);
    };
    return expression->GetOperation() == Operation::Constant ||
           std::any_of(groups.begin(), groups.end(),
                       [&](const auto& group) { return is_same(*group); }) ||
           std::any_of(keys.begin(), keys.end(),
                       [&](const OrderKey& key) { return is_same(*key.expression); });
  };
  for (const OrderKey& key : order) {
    if (is_known(key.expression)) {
      continue;
    }
    if (key.nulls_first && !IsNeverNull(*key.expression, node)) {
      const ExpressionPointer is_null =
          Expression::Make(Operation::IsNull, TypeKind::Boolean, {key.expression});
      keys.push_back({Expression::Make(Operation::Case, TypeKind::Int32,
                                       {is_null, Expression::Integer(0, TypeKind::Int32),
                                        Expression::Integer(1, TypeKind::Int32)}),
                      false, false});
    }
    keys.push_back({key.expression, key.is_descending, false});
  }
  return keys;
}

//! The rows of `node` whose `values` from number `first` on are those of a row of `groups`.
NodePointer RowsOf(const NodePointer& node, const NodePointer& groups,
                   const std::vector<ExpressionPointer>& values, size_t first) {
  const std::vector<ExpressionPointer> found = OutputColumns(*groups);
  std::vector<JoinKey> keys;
  for (size_t i = first; i < values.size(); i++) {
    keys.push_back({values[i], found[i], !IsNeverNull(*found[i], *groups)});
  }
  return Node::Join(JoinKind::Semi, node, groups, std::move(keys), nullptr);
}

}  // namespace

NodePointer FirstRows(const NodePointer& node, const std::vector<ExpressionPointer>& groups,
                      const std::vector<OrderKey>& order) {
  const NodePointer rows = NumberRows(node);
  std::vector<ExpressionPointer> columns = OutputColumns(*rows);
  std::vector<OrderKey> keys = KeysWithin(*node, groups, order);
  keys.push_back({columns.back(), false, false});
  // What has one value in all rows that are left of a group.
  std::vector<ExpressionPointer> values = groups;
  NodePointer firsts;
  for (const OrderKey& key : keys) {
    const AggregateFunction function =
        key.is_descending ? AggregateFunction::Max : AggregateFunction::Min;
    firsts = Node::GroupBy(firsts ? RowsOf(rows, firsts, values, 0) : rows, values,
                           {{function, key.expression, key.expression->GetType()}});
    values.push_back(key.expression);
  }
  // The number tells a row from all others.
  NodePointer found = RowsOf(rows, firsts, values, values.size() - 1);
  columns.pop_back();
  return Node::Project(std::move(found), std::move(columns));
}

}  // namespace margay::optimize
