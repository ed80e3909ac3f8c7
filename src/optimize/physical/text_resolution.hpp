#pragma once

#include <vector>

#include "optimize/physical/input_column.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! `stage` over columns whose physical form is known: a dictionary function of a text column,
//! for which there is no dictionary, becomes the expression that computes the same row by row.
//! Joins by strings without codes become joins by hashes of them that compare the strings too.
//! Throws Unsupported where there is no such expression, and where text is aggregated.
Stage ResolveTexts(Stage stage, const std::vector<InputColumn>& columns);

}  // namespace margay::optimize
