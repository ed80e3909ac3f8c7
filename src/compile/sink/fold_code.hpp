#pragma once

#include <string>
#include <vector>

#include "compile/written_value.hpp"
#include "optimize/physical/accumulator.hpp"

namespace margay::compile {

using optimize::Accumulator;
using optimize::Fold;

//! OpenCL C statements that fold the words `from` into the words `into`.
std::vector<std::string> CombineCode(Fold fold, const std::vector<std::string>& into,
                                     const std::vector<std::string>& from);

//! OpenCL C statements that fold `value` into the words `into`, in a row where it is not NULL.
std::vector<std::string> FoldCode(const Accumulator& accumulator,
                                  const std::vector<std::string>& into, const WrittenValue& value);

//! The same into words in global memory that other work-items update at once; `into` points to the
//! first. Not of 128-bit minima and maxima: no processor swaps that many bits.
std::string AtomicFoldCode(const Accumulator& accumulator, const std::string& into,
                           const WrittenValue& value);

//! The same for words `from`, each a variable, that were folded before. Of a 128-bit minimum or
//! maximum it folds the high word; AtomicLowCode does the rest.
std::string AtomicCombineCode(Fold fold, const std::string& into,
                              const std::vector<std::string>& from);
//! Folds the low word of a 128-bit minimum or maximum, once all high words are folded: that of the
//! values with the high word that was found.
std::string AtomicLowCode(Fold fold, const std::string& into, const std::vector<std::string>& from);

}  // namespace margay::compile
