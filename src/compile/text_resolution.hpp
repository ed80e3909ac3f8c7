#pragma once

#include <vector>

#include "compile/pipeline.hpp"
#include "compile/row_reader.hpp"

namespace margay::compile {

//! `program` over columns whose physical form is known: a dictionary function of a text column,
//! for which there is no dictionary, becomes the expression that computes the same row by row.
//! Joins by strings without codes become joins by hashes of them that compare the strings too.
//! Throws Unsupported where there is no such expression, and where text is aggregated.
Program ResolveTexts(Program program, const std::vector<InputColumn>& columns);

}  // namespace margay::compile
