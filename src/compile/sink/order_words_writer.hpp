#pragma once

#include <string>
#include <vector>

#include "compile/expression_writer.hpp"
#include "optimize/physical/order_words.hpp"

namespace margay::compile {

using optimize::OrderWords;

//! Writes the code of the words of the row at hand; returns the variables that hold them.
std::vector<std::string> WriteOrderWords(const OrderWords& order, ExpressionWriter& writer);

//! The code of an int that is 1 where `words`, as WriteOrderWords gives them, are below those of
//! the kernel's argument `bound`.
std::string IsBelowBound(const std::vector<std::string>& words);

}  // namespace margay::compile
