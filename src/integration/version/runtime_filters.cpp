#include "integration/version/runtime_filters.hpp"

#include "duckdb/execution/operator/join/physical_comparison_join.hpp"
#include "duckdb/execution/operator/order/physical_top_n.hpp"
#include "duckdb/planner/filter/dynamic_filter.hpp"

namespace margay::integration {

void ClearRuntimeFilters(const duckdb::PhysicalOperator& op) {
  switch (op.type) {
    case duckdb::PhysicalOperatorType::EXTENSION:
      return;  // a tap: DuckDB runs what is below it, and replaces its own filters
    case duckdb::PhysicalOperatorType::HASH_JOIN:
    case duckdb::PhysicalOperatorType::NESTED_LOOP_JOIN:
    case duckdb::PhysicalOperatorType::PIECEWISE_MERGE_JOIN:
    case duckdb::PhysicalOperatorType::IE_JOIN:
      if (const auto& filters = op.Cast<duckdb::PhysicalComparisonJoin>().filter_pushdown) {
        for (const auto& probe : filters->probe_info) {
          probe.dynamic_filters->ClearFilters(op);
        }
      }
      break;
    case duckdb::PhysicalOperatorType::TOP_N:
      if (const auto& filter = op.Cast<duckdb::PhysicalTopN>().dynamic_filter) {
        filter->Reset();
      }
      break;
    default:
      break;
  }
  for (const auto& child : op.GetChildren()) {
    ClearRuntimeFilters(child.get());
  }
}

}  // namespace margay::integration
