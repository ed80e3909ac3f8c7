#include <algorithm>
#include <utility>

#include "duckdb/capture_relation.hpp"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/function/table/table_scan.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/filter/list.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/storage/table/row_group_reorderer.hpp"
#include "duckdb/type_conversion.hpp"

namespace margay::integration {

namespace {

//! Filters whose content is known only while the query runs.
bool IsRuntimeFilter(const duckdb::TableFilter& filter) {
  switch (filter.filter_type) {
    case duckdb::TableFilterType::DYNAMIC_FILTER:
    case duckdb::TableFilterType::BLOOM_FILTER:
      return true;
    case duckdb::TableFilterType::OPTIONAL_FILTER: {
      const auto& optional = filter.Cast<duckdb::OptionalFilter>();
      return optional.child_filter && IsRuntimeFilter(*optional.child_filter);
    }
    case duckdb::TableFilterType::CONJUNCTION_OR: {
      const auto& children = filter.Cast<duckdb::ConjunctionOrFilter>().child_filters;
      return std::any_of(children.begin(), children.end(),
                         [](const auto& child) { return IsRuntimeFilter(*child); });
    }
    default:
      return false;
  }
}

//! DuckDB then leaves out row groups that come before the OFFSET of the LIMIT above, which it has
//! lowered accordingly. If not, the options only say in which order to read, and when enough is
//! read for that LIMIT.
bool PrunesRowGroups(const duckdb::RowGroupOrderOptions& options) {
  return options.row_group_offset != 0 || options.leading_null_group_offset != 0;
}

Reason RefuseGet(const duckdb::LogicalGet& get, const duckdb::TableCatalogEntry& table) {
  if (Reason reason = RefuseTable(get)) {
    return reason;
  }
  if (get.extra_info.sample_options) {
    return NotSupported("a sample of the table " + table.name);
  }
  const auto& scan = get.bind_data->Cast<duckdb::TableScanBindData>();
  if (scan.order_options && PrunesRowGroups(*scan.order_options)) {
    return "DuckDB skips rows of the table " + table.name + " for the ORDER BY and LIMIT above";
  }
  if (get.ordinality_idx.IsValid()) {
    return NotSupported("WITH ORDINALITY");
  }
  if (!get.children.empty() || !get.projected_input.empty() || scan.is_create_index) {
    return NotSupported("this kind of scan");
  }
  return std::nullopt;
}

//! The meaning of column id `i`. A column that can't be read is refused only where it is used: a
//! scan for count(*) names the row id for want of a column.
CapturedBinding AddScanColumn(const duckdb::LogicalGet& get, const duckdb::TableCatalogEntry& table,
                              size_t i, Relation& relation,
                              std::vector<plan::ScanColumn>& columns) {
  const duckdb::ColumnIndex& index = get.GetColumnIds()[i];
  CapturedBinding result;
  result.binding = duckdb::ColumnBinding(get.table_index, i);
  result.type = get.GetColumnType(index);
  if (index.IsVirtualColumn()) {
    result.is_row_id = index.IsRowIdColumn();
    result.reason =
        NotSupported("the virtual column " + get.GetColumnName(index) + " of " + table.name);
    return result;
  }
  const duckdb::ColumnDefinition& definition = table.GetColumn(index.ToLogical());
  if (index.HasChildren() || index.IsPushdownExtract()) {
    result.reason = NotSupported("a field of the nested column " + definition.Name());
    return result;
  }
  if (definition.Generated()) {
    result.reason = NotSupported("the generated column " + definition.Name());
    return result;
  }
  if (definition.Type().id() == duckdb::LogicalTypeId::VARCHAR &&
      !duckdb::StringType::GetCollation(definition.Type()).empty()) {
    result.reason =
        NotSupported("the collation " + duckdb::StringType::GetCollation(definition.Type()) +
                     " of the column " + definition.Name());
    return result;
  }
  const std::optional<plan::Type> type = ToPlanType(definition.Type());
  if (!type || type->kind == plan::TypeKind::UInt128 || result.type != definition.Type()) {
    result.reason = NotSupported("the type " + definition.Type().ToString() + " of the column " +
                                 definition.Name());
    return result;
  }

  const auto position = std::find_if(columns.begin(), columns.end(), [&](const auto& known) {
    return known.id == definition.StorageOid();
  });
  result.column = static_cast<size_t>(position - columns.begin());
  if (position != columns.end()) {
    return result;
  }
  columns.push_back({definition.StorageOid(), definition.Name(), *type});
  CapturedColumn column{*type, definition.Name(), std::nullopt};
  if (type->IsVarchar()) {
    column.origin = TextOrigin{*result.column, nullptr};
  }
  relation.scope.columns.push_back(std::move(column));
  return result;
}

Reason CaptureTableFilter(duckdb::ClientContext& context, const duckdb::TableFilter& filter,
                          const duckdb::Expression& column, const CaptureScope& scope,
                          std::vector<plan::ExpressionPointer>& conjuncts) {
  switch (filter.filter_type) {
    case duckdb::TableFilterType::OPTIONAL_FILTER:
      return std::nullopt;
    case duckdb::TableFilterType::CONJUNCTION_AND:
      for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
        if (Reason reason = CaptureTableFilter(context, *child, column, scope, conjuncts)) {
          return reason;
        }
      }
      return std::nullopt;
    case duckdb::TableFilterType::STRUCT_EXTRACT:
      return NotSupported("a filter on a field of the nested column " + column.ToString());
    default:
      break;
  }
  if (IsRuntimeFilter(filter)) {
    return NotSupported("a filter that is known only while the query runs");
  }
  CapturedExpression captured =
      ExpressionCapture(context, scope).Capture(*filter.ToExpression(column));
  if (!captured) {
    return captured.reason;
  }
  conjuncts.push_back(std::move(captured.expression));
  return std::nullopt;
}

Reason AddTableFilters(duckdb::ClientContext& context, const duckdb::LogicalGet& get,
                       Relation& relation) {
  std::vector<plan::ExpressionPointer> conjuncts;
  for (const auto& entry : get.table_filters.filters) {
    const auto& ids = get.GetColumnIds();
    const auto found = std::find_if(ids.begin(), ids.end(), [&](const auto& id) {
      return id.GetPrimaryIndex() == entry.first;
    });
    if (found == ids.end()) {
      return "a filter of the scan is on no column of it";
    }
    const CapturedBinding& binding =
        relation.scope.bindings[static_cast<size_t>(found - ids.begin())];
    const duckdb::BoundColumnRefExpression column(get.GetColumnName(*found), binding.type,
                                                  binding.binding);
    if (Reason reason =
            CaptureTableFilter(context, *entry.second, column, relation.scope, conjuncts)) {
      return reason;
    }
  }
  AddConjuncts(conjuncts, relation);
  return std::nullopt;
}

}  // namespace

Reason RefuseTable(const duckdb::LogicalGet& get) {
  const duckdb::TableCatalogEntry& table = *get.GetTable();
  if (get.function.name != "seq_scan" || !table.IsDuckTable()) {
    return "the table " + table.name + " is not one of DuckDB's own";
  }
  if (table.temporary || table.catalog.IsTemporaryCatalog()) {
    return NotSupported("the temporary table " + table.name);
  }
  if (table.catalog.IsSystemCatalog()) {
    return NotSupported("the system table " + table.name);
  }
  return std::nullopt;
}

Reason AddGet(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation) {
  auto& get = op.Cast<duckdb::LogicalGet>();
  const duckdb::TableCatalogEntry& table = *get.GetTable();
  if (Reason reason = RefuseGet(get, table)) {
    return reason;
  }
  // Filters may refer to columns that the scan doesn't give: first all bindings, then the output.
  CaptureScope& scope = relation.scope;
  std::vector<plan::ScanColumn> columns;
  for (size_t i = 0; i < get.GetColumnIds().size(); i++) {
    scope.bindings.push_back(AddScanColumn(get, table, i, relation, columns));
  }
  relation.node = plan::Node::Scan(table.name, std::move(columns));
  relation.tables[relation.node] = {table.catalog.GetName(), table.schema.name, table.name,
                                    table.oid, std::nullopt};
  if (Reason reason = AddTableFilters(context, get, relation)) {
    return reason;
  }

  std::vector<CapturedBinding> outputs;
  for (const duckdb::ColumnBinding& binding : get.GetColumnBindings()) {
    outputs.push_back(scope.bindings.at(binding.column_index));
  }
  scope.bindings = std::move(outputs);
  return std::nullopt;
}

}  // namespace margay::integration
