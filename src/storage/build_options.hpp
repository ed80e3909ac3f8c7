#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/constants.hpp"

namespace margay::storage {

//! How images are built.
struct BuildOptions {
  //! Rows that the source expects, 0 for unknown. Only lets strings with too many distinct values
  //! be refused early.
  uint64_t expected_rows = 0;
  //! 0: as the device allows (SegmentsPerExtent()). Must be the image's where columns join an
  //! existing image. Tests set it small.
  size_t segments_per_extent = 0;
  //! Overridden by tests.
  size_t largest_dictionary = kLargestDictionary;
  size_t largest_dictionary_bytes = kLargestDictionaryBytes;
  size_t rows_for_distinct_check = kRowsForDistinctCheck;
};

}  // namespace margay::storage
