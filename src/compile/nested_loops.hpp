#pragma once

#include "compile/pipeline.hpp"

namespace margay::compile {

//! `program` with nested loops for all joins that can have them: what their keys ask of a match
//! becomes a condition. Strings are no such keys: only codes of one dictionary compare.
Program ForceNestedLoops(Program program);

}  // namespace margay::compile
