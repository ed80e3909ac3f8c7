#pragma once

#include "random.hpp"
#include "table.hpp"

namespace margay::fuzz {

//! A type that a column or an expression may have, VARCHAR included.
plan::Type DrawType(Random& random);

//! A table of 1 to 8 columns.
Table DrawTable(Random& random, const std::string& name);

}  // namespace margay::fuzz
