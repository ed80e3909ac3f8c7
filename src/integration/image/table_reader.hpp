#pragma once

#include <memory>
#include <vector>

#include "integration/image/column_encoder.hpp"
#include "integration/image/read_control.hpp"
#include "memory/extent_pool.hpp"
#include "storage/column_specification.hpp"

namespace duckdb {
class ClientContext;
class DataTable;
}  // namespace duckdb

namespace margay::integration {

//! Reads columns of `table` as the active transaction of `context` sees them (its own rows
//! included, in table order) with all of DuckDB's threads, and encodes them in `pool`. The
//! specifications' ids are storage numbers of columns; the number of rows is added to `options`.
//!
//! Throws ColumnRefusal, memory::OutOfMemory, device::DeviceError, execute::Interrupted, and
//! DuckDB's own errors.
ReadColumns ReadTable(duckdb::ClientContext& context, duckdb::DataTable& table,
                      const std::vector<storage::ColumnSpecification>& columns,
                      memory::ExtentPool& pool, storage::BuildOptions options,
                      const ReadControl& control);

//! Reads the rows of the data extent `extent` of `restored` again, which are `columns` of `table`,
//! at least one, and brings back what is lost of it. The active transaction sees the rows that the
//! columns were made of, and has none of its own.
//!
//! Throws storage::RowsDiffer where it does not, and as ReadTable().
std::vector<storage::PinnedExtents> ReadTableExtent(
    duckdb::ClientContext& context, duckdb::DataTable& table,
    const std::vector<storage::ColumnSpecification>& columns,
    const std::vector<std::shared_ptr<const storage::ColumnImage>>& restored, size_t extent,
    memory::ExtentPool& pool, const ReadControl& control);

}  // namespace margay::integration
