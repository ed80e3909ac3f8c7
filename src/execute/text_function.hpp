#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "plan/dictionary_function.hpp"

namespace margay::execute {

//! The results of a function of texts, as values of `type`. `validity` says which texts are not
//! NULL, all if it is empty, and then which results are not. Strings are std::string_views of
//! `results`, which it sets. Throws ArithmeticFault where the function failed.
std::vector<std::byte> ResultsOf(const plan::DictionaryFunction& function, const plan::Type& type,
                                 std::span<const std::string_view> texts,
                                 std::vector<std::byte>& validity,
                                 plan::DictionaryResults& results);

}  // namespace margay::execute
