#include "integration/version/table_filters.hpp"

#include <algorithm>
#include <utility>

#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/filter/list.hpp"
#include "duckdb/planner/operator/logical_get.hpp"

namespace margay::integration {
namespace {

using duckdb::TableFilterType;

//! Filters whose content is known only while the query runs.
bool IsRuntimeFilter(const duckdb::TableFilter& filter) {
  switch (filter.filter_type) {
    case TableFilterType::DYNAMIC_FILTER:
    case TableFilterType::BLOOM_FILTER:
      return true;
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& optional = filter.Cast<duckdb::OptionalFilter>();
      return optional.child_filter && IsRuntimeFilter(*optional.child_filter);
    }
    case TableFilterType::CONJUNCTION_OR: {
      const auto& children = filter.Cast<duckdb::ConjunctionOrFilter>().child_filters;
      return std::any_of(children.begin(), children.end(),
                         [](const auto& child) { return IsRuntimeFilter(*child); });
    }
    default:
      return false;
  }
}

//! Adds what `filter` on `expression`, the column of that place, asks for.
void AddFilter(const duckdb::TableFilter& filter, size_t column,
               const duckdb::Expression& expression, std::vector<ScanFilter>& filters) {
  switch (filter.filter_type) {
    case TableFilterType::OPTIONAL_FILTER:
      return;
    case TableFilterType::CONJUNCTION_AND:
      for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
        AddFilter(*child, column, expression, filters);
      }
      return;
    case TableFilterType::STRUCT_EXTRACT:
      filters.push_back({ScanFilter::Kind::OfField, column, nullptr});
      return;
    default:
      break;
  }
  if (IsRuntimeFilter(filter)) {
    filters.push_back({ScanFilter::Kind::AtRunTime, column, nullptr});
    return;
  }
  filters.push_back({ScanFilter::Kind::Expression, column, filter.ToExpression(expression)});
}

void VisitExpressions(const duckdb::TableFilter& filter,
                      const std::function<void(const duckdb::Expression&)>& visit) {
  switch (filter.filter_type) {
    case TableFilterType::EXPRESSION_FILTER:
      visit(*filter.Cast<duckdb::ExpressionFilter>().expr);
      return;
    case TableFilterType::CONJUNCTION_AND:
      for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
        VisitExpressions(*child, visit);
      }
      return;
    default:
      return;
  }
}

}  // namespace

std::vector<ScanFilter> FiltersOf(
    const duckdb::LogicalGet& get,
    const std::function<duckdb::unique_ptr<duckdb::Expression>(size_t column)>& make_column) {
  std::vector<ScanFilter> filters;
  const auto& ids = get.GetColumnIds();
  // Keyed by the table's columns, of which the scan reads some in any order.
  for (const auto& entry : get.table_filters.filters) {
    const auto found = std::find_if(ids.begin(), ids.end(), [&](const auto& id) {
      return id.GetPrimaryIndex() == entry.first;
    });
    if (found == ids.end()) {
      filters.push_back({ScanFilter::Kind::OfNoColumn, 0, nullptr});
      continue;
    }
    const auto column = static_cast<size_t>(found - ids.begin());
    AddFilter(*entry.second, column, *make_column(column), filters);
  }
  return filters;
}

void VisitFilterExpressions(const duckdb::LogicalGet& get,
                            const std::function<void(const duckdb::Expression&)>& visit) {
  for (const auto& entry : get.table_filters.filters) {
    VisitExpressions(*entry.second, visit);
  }
}

}  // namespace margay::integration
