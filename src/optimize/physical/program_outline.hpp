#pragma once

#include "optimize/physical/outline.hpp"
#include "optimize/physical/program.hpp"

namespace margay::optimize {

//! A program as text: its tables, its sinks, and each pipeline with what it reads, its steps, what
//! it gives to its sink, and the constants that are bound to it. Text that was read back is the
//! same outline; programs with equal outlines do the same with the same constants.
Outline OutlineOf(const Program& program);

}  // namespace margay::optimize
