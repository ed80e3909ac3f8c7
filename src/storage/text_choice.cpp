#include "storage/text_choice.hpp"

namespace margay::storage {

namespace {

//! Strings that a stager has seen before it judges by how many of its rows brought a new one: a few
//! times the smallest dictionary that may not pay, so that a column that repeats its strings has
//! begun to do so.
constexpr size_t kSampleFactor = 4;

bool IsBeyondDictionaries(const StringCounts& counts, const BuildOptions& options) {
  return counts.distinct > options.largest_dictionary ||
         counts.distinct_bytes > options.largest_dictionary_bytes;
}

}  // namespace

bool IsText(const StringCounts& column, const BuildOptions& options) {
  return IsBeyondDictionaries(column, options) ||
         (column.distinct > options.small_dictionary &&
          column.distinct > column.rows / kRowsPerDictionaryString);
}

bool IsSurelyText(const StringCounts& stager, const BuildOptions& options) {
  if (IsBeyondDictionaries(stager, options)) {
    return true;
  }
  if (stager.distinct <= options.small_dictionary) {
    return false;
  }
  if (options.expected_rows != 0 &&
      stager.distinct > options.expected_rows / kRowsPerDictionaryString) {
    return true;
  }
  return stager.distinct > kSampleFactor * options.small_dictionary &&
         stager.distinct > stager.rows / 4 * 3;
}

}  // namespace margay::storage
