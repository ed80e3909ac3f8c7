#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/value.hpp"
#include "plan/node.hpp"

namespace margay::compile {

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

  size_t Words() const {
    return fold == Fold::Sum128 || fold == Fold::MinWide || fold == Fold::MaxWide ? 2 : 1;
  }
};

inline bool IsText(Fold fold) {
  return fold == Fold::MinText || fold == Fold::MaxText;
}

//! What the words of an accumulator hold before the first value.
std::vector<int64_t> InitialWords(Fold fold);

//! OpenCL C statements that fold the words `from` into the words `into`.
std::vector<std::string> CombineCode(Fold fold, const std::vector<std::string>& into,
                                     const std::vector<std::string>& from);

//! OpenCL C statements that fold `value` into the words `into`, in a row where it is not NULL.
std::vector<std::string> FoldCode(const Accumulator& accumulator,
                                  const std::vector<std::string>& into, const Value& value);

//! The same into words in global memory that other work-items update at once; `into` points to the
//! first. Not of 128-bit minima and maxima: no processor swaps that many bits.
std::string AtomicFoldCode(const Accumulator& accumulator, const std::string& into,
                           const Value& value);

//! The same for words `from`, each a variable, that were folded before. Of a 128-bit minimum or
//! maximum it folds the high word; AtomicLowCode does the rest.
std::string AtomicCombineCode(Fold fold, const std::string& into,
                              const std::vector<std::string>& from);
//! Folds the low word of a 128-bit minimum or maximum, once all high words are folded: that of the
//! values with the high word that was found.
std::string AtomicLowCode(Fold fold, const std::string& into, const std::vector<std::string>& from);

//! Whether work-items that update an accumulator at once have to do it in two passes.
inline bool NeedsTwoPasses(Fold fold) {
  return fold == Fold::MinWide || fold == Fold::MaxWide;
}

//! The same on the host, for partial results of work-groups and launches. Sum64 is combined by the
//! caller, in more than 64 bits.
void Combine(Fold fold, int64_t* into, const int64_t* from);

}  // namespace margay::compile
