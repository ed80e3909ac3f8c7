#pragma once

#include <cstdint>
#include <limits>

#include "plan/integer128.hpp"

namespace margay::storage {

//! What is known about the rows of one segment, all exact. Integral columns use min and max,
//! dictionary columns too (of the codes), floating-point columns real_min and real_max.
struct SegmentStatistics {
  //! Over the values that are not NULL; 0 where there are none.
  Int128 min = 0;
  Int128 max = 0;
  //! Over the values that are neither NULL nor NaN; +infinity and -infinity where there are none.
  double real_min = std::numeric_limits<double>::infinity();
  double real_max = -std::numeric_limits<double>::infinity();
  //! What is added to every stored offset of a Narrow column: min, or 0 where all rows are NULL. 0
  //! for other encodings.
  int64_t base = 0;
  uint32_t rows = 0;
  uint32_t nulls = 0;
  bool has_nan = false;

  //! Whether there is a value that is not NULL.
  bool HasValues() const { return nulls < rows; }
};

//! The same over a whole column.
struct ColumnStatistics {
  Int128 min = 0;
  Int128 max = 0;
  double real_min = std::numeric_limits<double>::infinity();
  double real_max = -std::numeric_limits<double>::infinity();
  uint64_t rows = 0;
  uint64_t null_count = 0;
  //! Different values, NULL not counted: exact for dictionaries and for sorted columns, else 0 for
  //! unknown.
  uint64_t distinct_count = 0;
  bool has_nan = false;
  //! Every value is at least the one before it, and there are neither NULLs nor NaNs. Exact.
  bool sorted = false;

  bool HasValues() const { return null_count < rows; }
};

}  // namespace margay::storage
