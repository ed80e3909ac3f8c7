#pragma once

#include <cstdint>
#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

//! How many rows the joins without keys in `plan` look at for each row, at most: those of the build
//! side, or of an inner join's smaller side; 0 without such a join. The scans, in the order of
//! Scans(), have `rows` rows each.
uint64_t NestedLoopRows(const plan::Node& plan, const std::vector<uint64_t>& rows);

}  // namespace margay::optimize
