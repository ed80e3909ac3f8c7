#pragma once

#include <vector>

#include "compile/generated_kernel.hpp"
#include "execute/result_batch.hpp"

namespace margay::execute {

//! Merged accumulators of groups.
struct GroupTotals {
  size_t groups = 0;
  //! Of the groups, each of which has rows; null: group i has index i and may have none.
  const uint64_t* indexes = nullptr;
  const int64_t* words = nullptr;  //!< groups x words
  const Int128* sums = nullptr;    //!< groups x accumulators: the sums of integers
  //! The values of dependent keys, in their order.
  std::vector<ResultColumn> dependent_keys;
};

//! Turns merged accumulators into result rows: group keys, then aggregates, in DuckDB's types.
//! Groups without rows are left out; without group keys there is always one row. The batch refers
//! to the columns of dependent keys, but does not own them. Throws ArithmeticFault where the result
//! is DuckDB's to decide.
ResultBatch FinishAggregates(const compile::GeneratedKernel& kernel, const GroupTotals& totals);

}  // namespace margay::execute
