#pragma once

#include <functional>

#include "plan/node.hpp"

namespace margay::optimize {

//! Whether a column, by its id, of a scan, by its place in plan::Scans(), has no NULLs and no value
//! twice.
using IsUniqueColumn = std::function<bool(size_t scan, uint64_t column)>;

//! `plan` with groups made before joins. Where each row of a left join's probe side is a group of
//! its own, because a group key names it, and aggregates are of columns of the build side, that
//! side is grouped by its keys of the join, and the join finds one row: no chain of a group's rows
//! is made and walked. Null where there is no such join. Scans keep their order.
plan::NodePointer AggregateEagerly(const plan::NodePointer& plan, const IsUniqueColumn& is_unique);

}  // namespace margay::optimize
