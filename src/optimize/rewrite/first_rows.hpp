#pragma once

#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

//! Of the rows of `node` in which `groups` have the same values, NULLs among them, the first one in
//! `order`, and any one of several that are; all of its columns come from one row.
//!
//! The plan has no such operator: for one key of the order after the other, the rows that are left
//! of each group are grouped, for the first value of the key, and joined by that. The last key is
//! the number of the row in its table. Rows of several tables are kept as one first.
plan::NodePointer FirstRows(const plan::NodePointer& node,
                            const std::vector<plan::ExpressionPointer>& groups,
                            const std::vector<plan::OrderKey>& order);

}  // namespace margay::optimize
