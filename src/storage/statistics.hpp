#pragma once

#include <cstdint>
#include <limits>

#include "plan/integer128.hpp"

namespace margay::storage {

//! What is known about the rows of one segment, all exact. Integral columns use min and max,
//! dictionary columns too (of the codes), floating-point columns real_min and real_max; of text
//! columns neither is known.
struct SegmentStatistics {
  //! Over the values that are not NULL; 0 where there are none.
  Int128 min = 0;
  Int128 max = 0;
  //! Over the values that are neither NULL nor NaN; +infinity and -infinity where there are none.
  double real_min = std::numeric_limits<double>::infinity();
  double real_max = -std::numeric_limits<double>::infinity();
  //! Narrow: what is added to every stored offset: min, or 0 where all rows are NULL. Text: the
  //! place of the segment's bytes in its text extent. 0 for other encodings.
  int64_t base = 0;
  //! Text: all bytes of the segment's strings.
  uint32_t text_bytes = 0;
  //! Text: bytes of its longest string.
  uint32_t longest_text = 0;
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
  //! Every value is at least the one before it, and there are neither NULLs nor NaNs. Exact, but
  //! never true for text columns.
  bool sorted = false;

  bool HasValues() const { return null_count < rows; }
};

}  // namespace margay::storage
