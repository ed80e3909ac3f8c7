#pragma once

namespace duckdb {
class PhysicalOperator;
}  // namespace duckdb

namespace margay::integration {

//! Takes the filters away that joins and limits of `op` and below gave to scans in an earlier
//! execution: a device that does their work now does not replace them, and rows would be lost.
//! Leaves what is below operators of extensions, which DuckDB runs.
void ClearRuntimeFilters(const duckdb::PhysicalOperator& op);

}  // namespace margay::integration
