#include "integration/capture/set_operation.hpp"

#include <algorithm>
#include <utility>

#include "duckdb/planner/operator/logical_set_operation.hpp"
#include "integration/capture/join.hpp"
#include "integration/version/bindings.hpp"
#include "optimize/rewrite/repeated_rows.hpp"

namespace margay::integration {

namespace {

//! Gives the bindings of `scope`, which are those of an input, the numbers of `op`.
void Rebind(const duckdb::LogicalOperator& op, CaptureScope& scope) {
  const auto& operation = op.Cast<duckdb::LogicalSetOperation>();
  for (size_t i = 0; i < scope.bindings.size(); i++) {
    scope.bindings[i].binding = MakeBinding(operation.table_index, i);
  }
}

//! The scope of a union whose inputs are like `input`: its columns are those that are bound.
CaptureScope UnitedScope(const CaptureScope& input) {
  CaptureScope scope;
  for (CapturedBinding binding : input.bindings) {
    scope.columns.push_back(binding.column
                                ? input.columns[*binding.column]
                                : CapturedColumn{plan::TypeKind::Varchar, {}, std::nullopt});
    binding.column = scope.bindings.size();
    binding.text = nullptr;
    scope.bindings.push_back(std::move(binding));
  }
  NameOnce(scope.columns);
  scope.columns = UnitedColumns(std::move(scope.columns));
  return scope;
}

}  // namespace

std::vector<CapturedColumn> UnitedColumns(std::vector<CapturedColumn> columns) {
  for (size_t i = 0; i < columns.size(); i++) {
    columns[i].origin.reset();
    if (columns[i].type.IsVarchar()) {
      columns[i].origin = TextOrigin{i, nullptr};
    }
  }
  return columns;
}

plan::NodePointer UnionOf(const std::vector<plan::NodePointer>& inputs) {
  plan::NodePointer all = inputs[0];
  for (size_t i = 1; i < inputs.size(); i++) {
    all = plan::Node::Union(std::move(all), inputs[i]);
  }
  return all;
}

Reason AddUnion(const duckdb::LogicalOperator& op, const std::vector<Relation>& inputs,
                Relation& result) {
  if (inputs.empty()) {
    return NotSupported("a union of nothing");
  }
  std::vector<plan::NodePointer> nodes;
  for (const Relation& input : inputs) {
    for (size_t i = 0; i < input.scope.bindings.size(); i++) {
      if (input.scope.bindings[i].type != op.types[i]) {
        return NotSupported("a union of " + op.types[i].ToString() + " with " +
                            input.scope.bindings[i].type.ToString());
      }
    }
    if (Reason reason = SelectBound(input, nodes.emplace_back())) {
      return reason;
    }
    result.tables.insert(input.tables.begin(), input.tables.end());
    result.part.has_aggregate = result.part.has_aggregate || input.part.has_aggregate;
  }
  const bool is_one = inputs.size() == 1;
  result.node = is_one ? inputs[0].node : UnionOf(nodes);
  result.scope = is_one ? inputs[0].scope : UnitedScope(inputs[0].scope);
  Rebind(op, result.scope);
  return std::nullopt;
}

void KeepTexts(Relation& relation) {
  auto& bindings = relation.scope.bindings;
  if (std::none_of(bindings.begin(), bindings.end(),
                   [](const CapturedBinding& binding) { return binding.text != nullptr; })) {
    return;
  }
  plan::NodePointer selected;
  if (SelectBound(relation, selected)) {
    for (CapturedBinding& binding : bindings) {
      binding.text = nullptr;
    }
    return;
  }
  relation.node = plan::Node::Keep(std::move(selected));
  relation.scope = UnitedScope(relation.scope);
}

namespace {

//! The different rows of `relation`, `columns` of them, and how many of each there are.
plan::NodePointer CountRows(const Relation& relation,
                            const std::vector<plan::ExpressionPointer>& columns) {
  return plan::Node::GroupBy(
      relation.node, columns,
      {{plan::AggregateFunction::CountStar, nullptr, plan::TypeKind::Int64}});
}

//! The rows of INTERSECT ALL or EXCEPT ALL: `keys` are all columns of `left` and `right`. Each
//! different row comes as often as in the input that has fewer of it, or as the left input has more
//! of it than the right one.
plan::NodePointer JoinCounts(bool is_intersect, const Relation& left, const Relation& right,
                             std::vector<plan::JoinKey> keys) {
  using plan::Expression;
  using plan::Operation;
  const plan::Type bigint = plan::TypeKind::Int64;
  std::vector<plan::ExpressionPointer> of_left, of_right, outputs;
  for (plan::JoinKey& key : keys) {
    const auto column = Expression::Column(outputs.size(), key.probe->GetType(), {});
    of_left.push_back(std::exchange(key.probe, column));
    of_right.push_back(std::exchange(key.build, column));
    outputs.push_back(column);
  }
  const size_t columns = outputs.size();
  const auto zero = Expression::Integer(0, bigint);
  const auto in_left = Expression::Column(columns, bigint, {});
  const auto in_right = Expression::Column(2 * columns + 1, bigint, {});
  outputs.push_back(is_intersect
                        ? Expression::Make(Operation::Least, bigint, {in_left, in_right})
                        : Expression::Make(Operation::Subtract, bigint,
                                           {in_left, Expression::Make(Operation::Coalesce, bigint,
                                                                      {in_right, zero})}));
  plan::NodePointer rows = plan::Node::Project(
      plan::Node::Join(is_intersect ? plan::JoinKind::Inner : plan::JoinKind::Left,
                       CountRows(left, of_left), CountRows(right, of_right), std::move(keys),
                       nullptr),
      std::move(outputs));
  if (!is_intersect) {
    rows = plan::Node::Filter(
        rows, Expression::Make(Operation::Greater, plan::TypeKind::Boolean, {in_left, zero}));
  }
  return optimize::RepeatRows(rows, columns, left.node);
}

}  // namespace

Reason AddSetJoin(duckdb::ClientContext& context, const duckdb::LogicalOperator& op,
                  const Relation& left, const Relation& right, Relation& result) {
  std::vector<plan::JoinKey> keys;
  if (Reason reason = CaptureColumnKeys(context, left, right, keys)) {
    return reason;
  }
  const bool is_intersect = op.type == duckdb::LogicalOperatorType::LOGICAL_INTERSECT;
  if (op.Cast<duckdb::LogicalSetOperation>().setop_all) {
    for (const duckdb::LogicalType& type : op.types) {
      if (type == duckdb::LogicalType::UHUGEINT) {
        return NotSupported(op.GetName() + " ALL of UHUGEINT");
      }
    }
    const size_t scans = 3 * plan::Scans(*left.node).size() + 2 * plan::Scans(*right.node).size();
    if (Reason reason = RefuseScans(op.GetName() + " ALL", scans)) {
      return reason;
    }
    result.node = JoinCounts(is_intersect, left, right, std::move(keys));
    result.scope = UnitedScope(left.scope);
    result.part.has_aggregate = true;
  } else {
    result.node = plan::Node::Join(is_intersect ? plan::JoinKind::Semi : plan::JoinKind::Anti,
                                   left.node, right.node, std::move(keys), nullptr);
    result.scope = left.scope;
  }
  Rebind(op, result.scope);
  return std::nullopt;
}

}  // namespace margay::integration
