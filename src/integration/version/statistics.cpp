#include "integration/version/statistics.hpp"

#include "duckdb/main/client_context.hpp"
#include "duckdb/storage/data_table.hpp"
#include "duckdb/storage/statistics/base_statistics.hpp"
#include "duckdb/storage/statistics/numeric_stats.hpp"
#include "integration/type_conversion.hpp"

namespace margay::integration {

optimize::ColumnBounds BoundsOf(duckdb::ClientContext& context, duckdb::DataTable& table,
                                uint64_t column) {
  optimize::ColumnBounds bounds;
  const auto statistics = table.GetStatistics(context, duckdb::StorageIndex(column));
  if (!statistics) {
    return bounds;
  }
  bounds.can_be_null = statistics->CanHaveNull();
  bounds.distinct_values = statistics->GetDistinctCount();
  const auto type = ToPlanType(statistics->GetType());
  if (type && type->IsIntegral() &&
      statistics->GetStatsType() == duckdb::StatisticsType::NUMERIC_STATS &&
      duckdb::NumericStats::HasMinMax(*statistics)) {
    bounds.interval = {ToConstant(duckdb::NumericStats::Min(*statistics)).integer,
                       ToConstant(duckdb::NumericStats::Max(*statistics)).integer};
  }
  return bounds;
}

}  // namespace margay::integration
