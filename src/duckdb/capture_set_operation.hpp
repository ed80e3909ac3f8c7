#pragma once

#include <vector>

#include "duckdb/capture_relation.hpp"

namespace margay::integration {

//! The rows of all of `inputs`, of which there is one at least.
plan::NodePointer UnionOf(const std::vector<plan::NodePointer>& inputs);

//! The columns of a union whose inputs have these: strings are the union's own, whatever they are
//! computed from.
std::vector<CapturedColumn> UnitedColumns(std::vector<CapturedColumn> columns);

}  // namespace margay::integration
