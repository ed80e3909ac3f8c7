#pragma once

#include "plan/node.hpp"

namespace margay::optimize {

//! `node` with a column behind its own, a number that each row has for itself, from 0 on: that of
//! its row in the table at the bottom of `node`. Rows of several tables are kept as one first.
plan::NodePointer NumberRows(const plan::NodePointer& node);

//! One column: the numbers from 0 on, one for each row of `node` at least.
plan::NodePointer NumbersOf(const plan::NodePointer& node);

}  // namespace margay::optimize
