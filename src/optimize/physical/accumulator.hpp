#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace margay::optimize {

//! How one accumulator folds values. Every accumulator is one or two 64-bit words.
enum class Fold : uint8_t {
  Count,     //!< 1 word
  Sum64,     //!< 1 word; exact for at most AggregateLayout::rows_per_table rows
  Sum128,    //!< 2 words: low, high
  SumFloat,  //!< 1 word: the bits of a double
  Min64,     //!< 1 word; floats as order-preserving integers, strings as codes
  Max64,     //!< 1 word
  MinWide,   //!< 2 words: low, high
  MaxWide,   //!< 2 words: low, high
  MinText,   //!< 1 word: see TextExtreme, whose folding the functions below know nothing of
  MaxText,   //!< 1 word
};

struct Accumulator {
  Fold fold = Fold::Count;
  size_t word = 0;      //!< its first word in the group's row
  size_t argument = 0;  //!< number of its argument; none for the count of rows
  bool has_argument = false;
  bool is_checked = false;  //!< Sum128: may leave 128 bits, which sets `fault`

  bool operator==(const Accumulator&) const = default;

  size_t Words() const {
    return fold == Fold::Sum128 || fold == Fold::MinWide || fold == Fold::MaxWide ? 2 : 1;
  }
};

inline bool IsText(Fold fold) {
  return fold == Fold::MinText || fold == Fold::MaxText;
}

//! What the words of an accumulator hold before the first value.
std::vector<int64_t> InitialWords(Fold fold);

//! Whether work-items that update an accumulator at once have to do it in two passes.
inline bool NeedsTwoPasses(Fold fold) {
  return fold == Fold::MinWide || fold == Fold::MaxWide;
}

//! The same on the host, for partial results of work-groups and launches. Sum64 is combined by the
//! caller, in more than 64 bits.
void Combine(Fold fold, int64_t* into, const int64_t* from);

}  // namespace margay::optimize
