// When the strings of a column have a dictionary, and when they are stored as they are:
//
//   d = distinct strings, b = their bytes, r = rows of the column, all exact
//
//   text  where  d > largest_dictionary (16 Mi)  or  b > largest_dictionary_bytes (1 GiB)
//            or  d > small_dictionary (65,536)  and  d > r / 8
//
// d is only known once all strings are interned, which is what a column of text must be spared. So
// each stager looks at its own strings while it takes rows in, and gives interning up for the whole
// column as soon as one of these holds, d, b and r being its own so far:
//
//   d > largest_dictionary or b > largest_dictionary_bytes
//   d > small_dictionary   and d > expected_rows / 8     the rule above, whatever the rest will be
//   d > 4 small_dictionary and d > 3/4 r                 nearly every row brings a new string
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/build_options.hpp"

namespace margay::storage {

//! What is known about the strings of a column, or of the rows that a stager has taken in.
struct StringCounts {
  size_t distinct = 0;
  size_t distinct_bytes = 0;
  uint64_t rows = 0;
};

//! Whether a whole column is stored as text.
bool IsText(const StringCounts& column, const BuildOptions& options);

//! Whether a stager need not look any further: the column is to be stored as text.
bool IsSurelyText(const StringCounts& stager, const BuildOptions& options);

}  // namespace margay::storage
