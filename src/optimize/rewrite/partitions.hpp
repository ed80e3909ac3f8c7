#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

//! The least and the greatest value of a column, NULLs aside.
struct ValueBounds {
  Int128 least = 0;
  Int128 greatest = 0;
};

//! The bounds of a column of a scan, both by number; none where they are not known.
using FindBounds = std::function<std::optional<ValueBounds>(size_t scan, size_t column)>;

//! A plan that computes joins and groups in partitions, one after the other.
struct PartitionedPlan {
  plan::NodePointer plan;
  std::vector<size_t> scans;  //!< per scan of `plan`: its number in the plan that was given
  std::string key;            //!< the column by which rows are parted, for people
  uint32_t partitions = 0;
};

//! A plan with the rows of `plan`, in any order among those with equal order keys, that takes less
//! memory: the part of `plan` with the largest tables of joins and groups that can be parted by the
//! values of one column is a union of up to `partitions` plans, each over a range of these values.
//! The build sides that have such a range are kept as tables of their own: as small as the range
//! makes them. None where there is no such column.
//!
//! `rows` are those of the scans of `plan`, which has each join in one place (PruneScans sees
//! to that).
std::optional<PartitionedPlan> Partition(const plan::NodePointer& plan,
                                         const std::vector<uint64_t>& rows,
                                         const FindBounds& find_bounds, uint32_t partitions);

}  // namespace margay::optimize
