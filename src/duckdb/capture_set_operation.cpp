#include "duckdb/capture_set_operation.hpp"

#include <utility>

#include "duckdb/capture_join.hpp"
#include "duckdb/planner/operator/logical_set_operation.hpp"

namespace margay::integration {

namespace {

//! Gives the bindings of `scope`, which are those of an input, the numbers of `op`.
void Rebind(const duckdb::LogicalOperator& op, CaptureScope& scope) {
  const auto& operation = op.Cast<duckdb::LogicalSetOperation>();
  for (size_t i = 0; i < scope.bindings.size(); i++) {
    scope.bindings[i].binding = duckdb::ColumnBinding(operation.table_index, i);
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

Reason RefuseSetJoin(const duckdb::LogicalOperator& op) {
  return op.Cast<duckdb::LogicalSetOperation>().setop_all
             ? Reason(NotSupported(op.GetName() + " ALL"))
             : std::nullopt;
}

Reason AddSetJoin(duckdb::ClientContext& context, const duckdb::LogicalOperator& op,
                  const Relation& left, const Relation& right, Relation& result) {
  std::vector<plan::JoinKey> keys;
  if (Reason reason = CaptureColumnKeys(context, left, right, keys)) {
    return reason;
  }
  const auto kind = op.type == duckdb::LogicalOperatorType::LOGICAL_INTERSECT
                        ? plan::JoinKind::Semi
                        : plan::JoinKind::Anti;
  result.node = plan::Node::Join(kind, left.node, right.node, std::move(keys), nullptr);
  result.scope = left.scope;
  Rebind(op, result.scope);
  return std::nullopt;
}

}  // namespace margay::integration
