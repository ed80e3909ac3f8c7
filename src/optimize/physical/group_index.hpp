#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/integer128.hpp"

namespace margay::optimize {

//! A group's index tells it apart from others: one word of 64 bits, or several where the keys have
//! more combinations. A key is known by the place of its value in its domain, and the digits of
//! that place, of which most keys have one, are spread over the words:
//!   word = sum over its digits of digit * stride
//! NULL, where it can occur, has the last digit behind that of the last value, and others of 0.
struct GroupDigit {
  uint64_t values = 1;  //!< of the digit, for values of the key
  bool has_null = false;
  size_t word = 0;
  uint64_t stride = 1;

  bool operator==(const GroupDigit&) const = default;

  uint64_t Places() const { return values + (has_null ? 1 : 0); }
};

//! What a word of an index can be is below this: a word plus one is one in which 0 means none, and
//! the largest is that of no group.
inline constexpr uint64_t kMostIndexes = UINT64_MAX;

//! Bits of each digit but the last, where a place has several.
inline constexpr int kDigitBits = 63;

//! The digits, lowest first, of places from 0 to `last` and of NULL. They have no word yet.
std::vector<GroupDigit> DigitsOf(UInt128 last, bool has_null);

//! Gives `digit` a place in the first of the words that has one, or in a new word. `places` has the
//! number of values of each word.
void PlaceDigit(GroupDigit& digit, std::vector<uint64_t>& places);

}  // namespace margay::optimize
