#pragma once

#include <memory>

#include "integration/device_pools.hpp"
#include "integration/image/read_control.hpp"
#include "integration/image/table_copy.hpp"
#include "plan/node.hpp"

namespace duckdb {
class ClientContext;
class ColumnDataCollection;
}  // namespace duckdb

namespace margay::integration {

//! Encodes the columns of `rows` that `scan` reads, an image for one execution: the ids of the
//! scan's columns are their numbers in `rows`. Works with all of DuckDB's threads, and keeps the
//! order of the rows. Throws as TableSource::Read().
std::shared_ptr<TableCopy> EncodeRows(duckdb::ClientContext& context,
                                      const duckdb::ColumnDataCollection& rows,
                                      const plan::Node& scan,
                                      const std::shared_ptr<const OpenDevice>& place,
                                      uint64_t dictionary_strings, const ReadControl& control);

}  // namespace margay::integration
