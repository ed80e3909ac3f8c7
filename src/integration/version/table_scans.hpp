#pragma once

#include <string>

namespace duckdb {
class LogicalGet;
}  // namespace duckdb

namespace margay::integration {

//! The table function that the scan calls: `seq_scan` for a table of DuckDB's own.
const std::string& ScanFunctionName(const duckdb::LogicalGet& get);

//! Whether `get`, of a table of DuckDB's own, leaves out row groups that come before the OFFSET of
//! the LIMIT above, which DuckDB has lowered accordingly.
bool SkipsRowGroups(const duckdb::LogicalGet& get);

//! Whether `get`, of a table of DuckDB's own, belongs to a CREATE INDEX.
bool IsScanForIndex(const duckdb::LogicalGet& get);

}  // namespace margay::integration
