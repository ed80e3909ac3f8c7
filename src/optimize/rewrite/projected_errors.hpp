#pragma once

#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

//! Keeps the errors of a projection. It computes its expressions for each row, but kernels compute
//! an expression where it is used: not for the rows where, say, a branch of a CASE that uses it is
//! not taken. If `node` is a Project with expressions that may raise an error and that `readers`,
//! expressions over its outputs, use, but not for each row, returns one that filters its input
//! by a condition that computes them and always holds; otherwise `node` itself.
plan::NodePointer KeepProjectedErrors(const plan::NodePointer& node,
                                      const std::vector<plan::ExpressionPointer>& readers);

//! The same for all expressions of `node` and of Projects below it, through filters and semi joins:
//! what reads it leaves out rows.
plan::NodePointer KeepAllProjectedErrors(const plan::NodePointer& node);

}  // namespace margay::optimize
