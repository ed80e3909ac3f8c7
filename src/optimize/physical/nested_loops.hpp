#pragma once

#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! `stage` with nested loops for all joins that can have them: what their keys ask of a match
//! becomes a condition. Strings are no such keys: only codes of one dictionary compare.
Stage ForceNestedLoops(Stage stage);

}  // namespace margay::optimize
