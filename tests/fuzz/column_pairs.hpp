#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "random.hpp"
#include "table.hpp"

namespace margay::fuzz {

//! A column of each table, of the same type, so that they can be compared; more often such that
//! share values. None if there are none.
std::optional<std::pair<Column, Column>> PickPair(const Table& left, const Table& right,
                                                  Random& random);

//! The columns whose values can be told apart by equality: no floating-point numbers, of which
//! zeros are equal and not the same.
std::vector<Column> ExactColumns(const Table& table);

}  // namespace margay::fuzz
