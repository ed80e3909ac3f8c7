#include "integration/capture/walk_taps.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "duckdb/planner/operator/logical_cteref.hpp"
#include "duckdb/planner/operator/logical_materialized_cte.hpp"
#include "duckdb/planner/operator/logical_recursive_cte.hpp"
#include "integration/type_conversion.hpp"

namespace margay::integration {

namespace {

using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;

//! The type of a column of `type` in plans; none where devices don't have it.
std::optional<plan::Type> ColumnType(const duckdb::LogicalType& type) {
  if (type.id() == duckdb::LogicalTypeId::VARCHAR &&
      !duckdb::StringType::GetCollation(type).empty()) {
    return std::nullopt;
  }
  const std::optional<plan::Type> found = ToPlanType(type);
  return found && found->kind != plan::TypeKind::UInt128 ? found : std::nullopt;
}

void CollectCommonTables(const LogicalOperator& op, std::set<TableIndex>& read,
                         std::set<TableIndex>& defined) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_CTE_REF:
      read.insert(op.Cast<duckdb::LogicalCTERef>().cte_index);
      break;
    case LogicalOperatorType::LOGICAL_MATERIALIZED_CTE:
      defined.insert(op.Cast<duckdb::LogicalMaterializedCTE>().table_index);
      break;
    case LogicalOperatorType::LOGICAL_RECURSIVE_CTE:
      defined.insert(op.Cast<duckdb::LogicalRecursiveCTE>().table_index);
      break;
    default:
      break;
  }
  for (const auto& child : op.children) {
    CollectCommonTables(*child, read, defined);
  }
}

//! The rows of `op`, which is not captured itself, as those of the tap with that number.
Relation RowsOf(LogicalOperator& op, size_t number) {
  Relation relation;
  std::vector<plan::ScanColumn> columns;
  const auto bindings = op.GetColumnBindings();
  for (size_t i = 0; i < bindings.size(); i++) {
    CapturedBinding binding;
    binding.binding = bindings[i];
    binding.type = op.types[i];
    if (const std::optional<plan::Type> type = ColumnType(op.types[i])) {
      const std::string name = "#" + std::to_string(i + 1);
      binding.column = columns.size();
      CapturedColumn column{*type, name, std::nullopt};
      if (type->IsVarchar()) {
        column.origin = TextOrigin{columns.size(), nullptr};
      }
      relation.scope.columns.push_back(std::move(column));
      columns.push_back({i, name, *type});
    } else {
      binding.reason = NotSupported("the type " + op.types[i].ToString());
    }
    relation.scope.bindings.push_back(std::move(binding));
  }
  const std::string name = "rows of DuckDB";
  relation.node = plan::Node::Scan(name, std::move(columns));
  CapturedTable& table = relation.tables[relation.node];
  table.name = name;
  table.tap = number;
  return relation;
}

}  // namespace

Relation WalkTaps::Add(FoundTap found, CapturedTap tap, std::vector<FoundNote> notes) {
  taps_.push_back({found, std::move(tap), std::move(notes)});
  return RowsOf(**found.place, taps_.size() - 1);
}

void WalkTaps::Give(FoundPart& found) const {
  std::unordered_map<size_t, size_t> numbers;
  for (CapturedTable& table : found.part.tables) {
    if (!table.tap) {
      continue;
    }
    const Entry& tap = taps_[*table.tap];
    const auto [number, is_new] = numbers.emplace(*table.tap, found.taps.size());
    if (is_new) {
      found.taps.push_back(tap.found);
      found.part.taps.push_back(tap.tap);
    }
    table.tap = number->second;
  }
}

std::optional<size_t> BareTap(const Relation& relation) {
  plan::NodePointer node = relation.node;
  while (node->Kind() == plan::NodeKind::Filter || node->Kind() == plan::NodeKind::Project) {
    node = node->Input();
  }
  const auto table = relation.tables.find(node);
  return table == relation.tables.end() ? std::nullopt : table->second.tap;
}

bool ContainsType(const duckdb::LogicalOperator& op, duckdb::LogicalOperatorType type) {
  return op.type == type ||
         std::any_of(op.children.begin(), op.children.end(),
                     [&](const auto& child) { return ContainsType(*child, type); });
}

std::vector<TableIndex> OuterCommonTables(const duckdb::LogicalOperator& op) {
  std::set<TableIndex> read;
  std::set<TableIndex> defined;
  CollectCommonTables(op, read, defined);
  std::vector<TableIndex> outer;
  std::set_difference(read.begin(), read.end(), defined.begin(), defined.end(),
                      std::back_inserter(outer));
  return outer;
}

}  // namespace margay::integration
