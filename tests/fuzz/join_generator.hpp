#pragma once

#include <vector>

#include "join.hpp"
#include "random.hpp"

namespace margay::fuzz {

//! Draws 1 to 3 joins; their tables are put behind the first one of `tables`, and columns for their
//! keys into any of them. Literals have no values yet.
std::vector<Join> DrawJoins(std::vector<Table>& tables, Random& random);

}  // namespace margay::fuzz
