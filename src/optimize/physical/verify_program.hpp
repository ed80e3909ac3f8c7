#pragma once

#include "optimize/physical/program.hpp"

namespace margay::optimize {

//! Checks that a program holds together: a pipeline reads only what sinks before it leave, sinks
//! and pipelines name each other, a probe asks the table that its sink builds, a result that is
//! read on the device has columns, and the answer is rows for the host. Throws std::logic_error
//! with a sentence that names the pipeline or the sink.
void VerifyProgram(const Program& program);

}  // namespace margay::optimize
