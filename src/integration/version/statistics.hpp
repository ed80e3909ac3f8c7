#pragma once

#include <cstdint>

#include "optimize/estimate/provisional_form.hpp"

namespace duckdb {
class ClientContext;
class DataTable;
}  // namespace duckdb

namespace margay::integration {

//! What the statistics of a table say of the column with this storage number, which is of a type
//! that ToPlanType knows. They only ever widen: values that were deleted may still count.
optimize::ColumnBounds BoundsOf(duckdb::ClientContext& context, duckdb::DataTable& table,
                                uint64_t column);

}  // namespace margay::integration
