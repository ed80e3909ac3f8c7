#pragma once

#include "compile/expression_writer.hpp"
#include "optimize/physical/aggregate_layout.hpp"

namespace margay::compile {

//! Writes the index of a row's group as variable `group`, a uint, or, for a shared table, as ulongs
//! (see IndexWord).
void WriteGroupIndex(const optimize::AggregateLayout& layout, ExpressionWriter& writer,
                     CodeBlock& block);

//! The variable that holds word `word` of the index `group`.
std::string IndexWord(const std::string& group, size_t word);

}  // namespace margay::compile
