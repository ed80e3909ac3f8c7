#pragma once

#include <cstdint>

#include "execute/result_batch.hpp"
#include "optimize/physical/lowered_pipeline.hpp"

namespace margay::execute {

//! Turns merged accumulators into result rows: group keys, then aggregates, in DuckDB's types.
//! Groups without rows are left out; without group keys there is always one row. `words` are those
//! of all groups, `sums` per group and accumulator the sums of integers. Throws ArithmeticFault
//! where the result is DuckDB's to decide.
ResultBatch FinishAggregates(const optimize::GroupSink& groups, const int64_t* words,
                             const Int128* sums);

}  // namespace margay::execute
