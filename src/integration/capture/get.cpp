#include <algorithm>
#include <utility>

#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "integration/capture/relation.hpp"
#include "integration/type_conversion.hpp"
#include "integration/version/names.hpp"
#include "integration/version/table_filters.hpp"
#include "integration/version/table_scans.hpp"

namespace margay::integration {

namespace {

Reason RefuseGet(const duckdb::LogicalGet& get, const duckdb::TableCatalogEntry& table) {
  if (Reason reason = RefuseTable(get)) {
    return reason;
  }
  if (get.extra_info.sample_options) {
    return NotSupported("a sample of the table " + NameOf(table));
  }
  if (SkipsRowGroups(get)) {
    return "DuckDB skips rows of the table " + NameOf(table) + " for the ORDER BY and LIMIT above";
  }
  if (get.ordinality_idx.IsValid()) {
    return NotSupported("WITH ORDINALITY");
  }
  if (!get.children.empty() || !get.projected_input.empty() || IsScanForIndex(get)) {
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
  result.binding = MakeBinding(get.table_index, i);
  result.type = get.GetColumnType(index);
  if (index.IsVirtualColumn()) {
    result.is_row_id = index.IsRowIdColumn();
    result.reason =
        NotSupported("the virtual column " + get.GetColumnName(index) + " of " + NameOf(table));
    return result;
  }
  const duckdb::ColumnDefinition& definition = table.GetColumn(index.ToLogical());
  if (index.HasChildren() || index.IsPushdownExtract()) {
    result.reason = NotSupported("a field of the nested column " + NameOf(definition));
    return result;
  }
  if (definition.Generated()) {
    result.reason = NotSupported("the generated column " + NameOf(definition));
    return result;
  }
  if (definition.Type().id() == duckdb::LogicalTypeId::VARCHAR &&
      !duckdb::StringType::GetCollation(definition.Type()).empty()) {
    result.reason =
        NotSupported("the collation " + duckdb::StringType::GetCollation(definition.Type()) +
                     " of the column " + NameOf(definition));
    return result;
  }
  const std::optional<plan::Type> type = ToPlanType(definition.Type());
  if (!type || type->kind == plan::TypeKind::UInt128 || result.type != definition.Type()) {
    result.reason = NotSupported("the type " + definition.Type().ToString() + " of the column " +
                                 NameOf(definition));
    return result;
  }

  const auto position = std::find_if(columns.begin(), columns.end(), [&](const auto& known) {
    return known.id == definition.StorageOid();
  });
  result.column = static_cast<size_t>(position - columns.begin());
  if (position != columns.end()) {
    return result;
  }
  columns.push_back({definition.StorageOid(), NameOf(definition), *type});
  CapturedColumn column{*type, NameOf(definition), std::nullopt};
  if (type->IsVarchar()) {
    column.origin = TextOrigin{*result.column, nullptr};
  }
  relation.scope.columns.push_back(std::move(column));
  return result;
}

//! What an expression over the column `number` of the scan refers to.
duckdb::unique_ptr<duckdb::Expression> ColumnOf(const duckdb::LogicalGet& get,
                                                const Relation& relation, size_t number) {
  const CapturedBinding& binding = relation.scope.bindings[number];
  return duckdb::make_uniq<duckdb::BoundColumnRefExpression>(
      get.GetColumnName(get.GetColumnIds()[number]), binding.type, binding.binding);
}

Reason AddTableFilters(duckdb::ClientContext& context, const duckdb::LogicalGet& get,
                       Relation& relation) {
  const auto column = [&](size_t number) { return ColumnOf(get, relation, number); };
  const ExpressionCapture capture(context, relation.scope);
  std::vector<plan::ExpressionPointer> conjuncts;
  for (const ScanFilter& filter : FiltersOf(get, column)) {
    switch (filter.kind) {
      case ScanFilter::Kind::OfNoColumn:
        return "a filter of the scan is on no column of it";
      case ScanFilter::Kind::OfField:
        return NotSupported("a filter on a field of the nested column " +
                            column(filter.column)->ToString());
      case ScanFilter::Kind::AtRunTime:
        return NotSupported("a filter that is known only while the query runs");
      case ScanFilter::Kind::Expression:
        break;
    }
    CapturedExpression captured = capture.Capture(*filter.expression);
    if (!captured) {
      return captured.reason;
    }
    conjuncts.push_back(std::move(captured.expression));
  }
  AddConjuncts(conjuncts, relation);
  return std::nullopt;
}

}  // namespace

Reason RefuseTable(const duckdb::LogicalGet& get) {
  const duckdb::TableCatalogEntry& table = *get.GetTable();
  if (ScanFunctionName(get) != "seq_scan" || !table.IsDuckTable()) {
    return "the table " + NameOf(table) + " is not one of DuckDB's own";
  }
  if (table.temporary || table.catalog.IsTemporaryCatalog()) {
    return NotSupported("the temporary table " + NameOf(table));
  }
  if (table.catalog.IsSystemCatalog()) {
    return NotSupported("the system table " + NameOf(table));
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
  relation.node = plan::Node::Scan(NameOf(table), std::move(columns));
  relation.tables[relation.node] = {NameOf(table.catalog), NameOf(table.schema), NameOf(table),
                                    table.oid, std::nullopt};
  if (Reason reason = AddTableFilters(context, get, relation)) {
    return reason;
  }

  std::vector<CapturedBinding> outputs;
  for (const duckdb::ColumnBinding& binding : get.GetColumnBindings()) {
    outputs.push_back(scope.bindings.at(ToSize(binding.column_index)));
  }
  scope.bindings = std::move(outputs);
  return std::nullopt;
}

}  // namespace margay::integration
