#include "integration/version/table_scans.hpp"

#include "duckdb/function/table/table_scan.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/storage/table/row_group_reorderer.hpp"

namespace margay::integration {

const std::string& ScanFunctionName(const duckdb::LogicalGet& get) {
  return get.function.name;
}

bool SkipsRowGroups(const duckdb::LogicalGet& get) {
  // Without offsets the options only say in which order to read, and when enough is read for the
  // LIMIT.
  const auto& options = get.bind_data->Cast<duckdb::TableScanBindData>().order_options;
  return options && (options->row_group_offset != 0 || options->leading_null_group_offset != 0);
}

bool IsScanForIndex(const duckdb::LogicalGet& get) {
  return get.bind_data->Cast<duckdb::TableScanBindData>().is_create_index;
}

}  // namespace margay::integration
