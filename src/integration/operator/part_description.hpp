#pragma once

#include <string>

#include "duckdb/common/insertion_order_preserving_map.hpp"
#include "integration/capture/captured_part.hpp"
#include "integration/operator/placement.hpp"

namespace margay::integration {

//! What EXPLAIN and EXPLAIN ANALYZE show of a part, line by line.
using Descriptions = duckdb::InsertionOrderPreservingMap<std::string>;

//! Where the part runs, and why.
std::string Decision(const CapturedPart& part, const Placement& placement);

//! The error of force mode where the operators above `part` get too many rows.
std::string TailError(const CapturedPart& part, const Settings& settings);

//! The columns of a part that is made, its joins, and the partitions it is computed in, if any.
void DescribePart(const CapturedPart& part, const Placement& placement, Descriptions& result);

//! The operators above the part that DuckDB runs.
void DescribeTails(const CapturedPart& part, Descriptions& result);

//! What an execution on the device did and how long it took.
void DescribeRun(const execute::RunStatistics& statistics, const PlacementTimes& placement,
                 double encode_milliseconds, double compile_milliseconds, Descriptions& result);

}  // namespace margay::integration
