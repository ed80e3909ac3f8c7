#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/constants.hpp"

namespace margay::storage {

//! How images are built.
struct BuildOptions {
  //! Rows that the source expects, 0 for unknown. Only lets a column with too many distinct strings
  //! for a dictionary be known early.
  uint64_t expected_rows = 0;
  //! 0: as the device allows (SegmentsPerExtent()). Must be the image's where columns join an
  //! existing image. Tests set it small.
  size_t segments_per_extent = 0;
  //! The first extents of a column may be evicted for its last ones: an ExtentSource will bring
  //! them back. Otherwise a column that does not fit is lack of memory.
  bool may_lose_extents = false;
  //! Distinct strings up to which a column always has a dictionary.
  size_t small_dictionary = kSmallDictionary;
  //! Overridden by tests.
  size_t largest_dictionary = kLargestDictionary;
  size_t largest_dictionary_bytes = kLargestDictionaryBytes;
  size_t largest_text_extent = kLargestTextExtent;
};

}  // namespace margay::storage
