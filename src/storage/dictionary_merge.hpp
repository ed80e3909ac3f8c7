#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "storage/parallel_for.hpp"
#include "storage/string_interner.hpp"

namespace margay::storage {

//! The strings of several interners as one sorted list without duplicates.
struct MergedStrings {
  //! In binary order; they live in the interners.
  std::vector<std::string_view> values;
  size_t bytes = 0;
  //! By interner and its code: the position in `values`.
  std::vector<std::vector<uint32_t>> codes;
};

//! Sorts each interner's strings, in parallel, and merges them.
MergedStrings MergeStrings(const std::vector<const StringInterner*>& interners,
                           const ParallelFor& parallel_for);

}  // namespace margay::storage
