#pragma once

#include "plan/node.hpp"

namespace margay::optimize {

//! Each row of `node` as often as its column `count`, a BIGINT, says, without that column; the
//! least is 1, and no row comes more often than there are rows of `most`.
//!
//! The plan has no such operator. The different counts are joined with the numbers from 0 on that
//! are less, which makes as many rows of each as it says, and `node` is joined with these. Counts
//! of rows of one table are few: all different ones add up to its rows at most.
plan::NodePointer RepeatRows(const plan::NodePointer& node, size_t count,
                             const plan::NodePointer& most);

}  // namespace margay::optimize
