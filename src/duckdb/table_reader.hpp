#pragma once

#include <vector>

#include "duckdb/column_encoder.hpp"
#include "duckdb/read_control.hpp"
#include "memory/extent_pool.hpp"
#include "storage/column_specification.hpp"

namespace duckdb {
class ClientContext;
class DataTable;
}  // namespace duckdb

namespace margay::integration {

//! Reads columns of `table` as the active transaction of `context` sees them (its own rows
//! included, in table order) with all of DuckDB's threads, and encodes them in `pool`. The
//! specifications' ids are storage numbers of columns. `segments_per_extent` is that of the image
//! the columns will join, or 0; `dictionary_strings` is storage's `small_dictionary`.
//!
//! Throws ColumnRefusal, memory::OutOfMemory, device::DeviceError, execute::Interrupted, and
//! DuckDB's own errors.
ReadColumns ReadTable(duckdb::ClientContext& context, duckdb::DataTable& table,
                      const std::vector<storage::ColumnSpecification>& columns,
                      memory::ExtentPool& pool, size_t segments_per_extent,
                      uint64_t dictionary_strings, const ReadControl& control);

}  // namespace margay::integration
