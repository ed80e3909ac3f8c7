#include <utility>

#include "duckdb/planner/operator/logical_comparison_join.hpp"
#include "duckdb/planner/operator/logical_cteref.hpp"
#include "duckdb/planner/operator/logical_delim_get.hpp"
#include "integration/capture/relation.hpp"
#include "integration/version/bindings.hpp"
#include "integration/version/expressions.hpp"
#include "optimize/rewrite/domain.hpp"

namespace margay::integration {

namespace {

//! Makes the bindings of `relation` those of an operator that gives the same columns, of `types`,
//! with the table index `table`.
Reason Rebind(TableIndex table, const duckdb::vector<duckdb::LogicalType>& types,
              Relation& relation) {
  std::vector<CapturedBinding>& bindings = relation.scope.bindings;
  if (types.size() != bindings.size()) {
    return NotSupported("reading some of the columns of a shared sub-plan");
  }
  for (size_t i = 0; i < bindings.size(); i++) {
    if (types[i] != bindings[i].type) {
      return NotSupported("reading " + bindings[i].type.ToString() + " as " + types[i].ToString());
    }
    bindings[i].binding = MakeBinding(table, i);
  }
  return std::nullopt;
}

bool HoldsAggregate(const plan::Node& node) {
  return node.Kind() == plan::NodeKind::Aggregate ||
         (node.Input() && HoldsAggregate(*node.Input())) ||
         (node.Build() && HoldsAggregate(*node.Build()));
}

}  // namespace

size_t OuterInput(const duckdb::LogicalOperator& op) {
  return op.Cast<duckdb::LogicalComparisonJoin>().delim_flipped ? 1 : 0;
}

Reason MakeDomain(duckdb::ClientContext& context, const duckdb::LogicalOperator& op,
                  const Relation& outer, Domain& domain) {
  const auto& join = op.Cast<duckdb::LogicalComparisonJoin>();
  const ExpressionCapture capture(context, outer.scope);
  CaptureScope& scope = domain.relation.scope;
  for (const auto& column : join.duplicate_eliminated_columns) {
    CapturedExpression captured = capture.Capture(*column);
    if (!captured) {
      return captured.reason;
    }
    const plan::Type& type = captured.expression->GetType();
    if (type.kind == plan::TypeKind::UInt128) {
      return NotSupported("a sub-query that refers to " + column->ToString() + ", a UHUGEINT,");
    }
    const size_t number = scope.columns.size();
    scope.bindings.push_back({duckdb::ColumnBinding(), ReturnType(*column), number, {}});
    scope.columns.push_back({type, {}, std::nullopt});
    if (type.IsVarchar()) {
      scope.columns.back().origin = TextOrigin{number, nullptr};
    }
    domain.values.push_back(std::move(captured.expression));
  }
  domain.relation.node = optimize::DomainOf(outer.node, domain.values);
  domain.relation.tables = outer.tables;
  domain.relation.part.has_aggregate = true;
  return std::nullopt;
}

Reason ReadDomain(const duckdb::LogicalOperator& op, const Domain& domain, Relation& relation) {
  const auto& get = op.Cast<duckdb::LogicalDelimGet>();
  relation = domain.relation;
  return Rebind(get.table_index, get.chunk_types, relation);
}

void LeaveOutDomain(const Domain& domain, Relation& relation) {
  relation.node = optimize::WithoutDomain(relation.node, *domain.relation.node, domain.values);
  relation.part.has_aggregate = HoldsAggregate(*relation.node);
}

Reason ReadCommonTable(const duckdb::LogicalOperator& op, const Relation& definition,
                       Relation& relation) {
  const auto& scan = op.Cast<duckdb::LogicalCTERef>();
  relation = definition;
  return Rebind(scan.table_index, scan.chunk_types, relation);
}

}  // namespace margay::integration
