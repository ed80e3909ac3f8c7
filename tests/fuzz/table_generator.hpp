#pragma once

#include "random.hpp"
#include "table.hpp"

namespace margay::fuzz {

//! A type that a column or an expression may have, VARCHAR included.
plan::Type DrawType(Random& random);

//! A column to be added to `table`.
Column DrawColumn(Random& random, const Table& table);

//! A table of 1 to `most_columns` columns.
Table DrawTable(Random& random, const std::string& name, size_t most_columns);

}  // namespace margay::fuzz
