#pragma once

#include <vector>

#include "integration/capture/relation.hpp"

namespace margay::integration {

//! The rows of all of `inputs`, of which there is one at least.
plan::NodePointer UnionOf(const std::vector<plan::NodePointer>& inputs);

//! The columns of a union whose inputs have these: strings are the union's own, whatever they are
//! computed from.
std::vector<CapturedColumn> UnitedColumns(std::vector<CapturedColumn> columns);

//! Gives `relation` columns for its strings that are the same in all rows, if there are any: its
//! rows are kept with them. Where something else that is bound has no column, these have none
//! either: they are refused where they are used.
void KeepTexts(Relation& relation);

}  // namespace margay::integration
