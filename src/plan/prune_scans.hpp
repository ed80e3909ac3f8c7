#pragma once

#include "plan/node.hpp"

namespace margay::plan {

//! `plan` without what nothing uses: columns of scans, and outputs of projections in between. Its
//! own output is the same, and an aggregate that it has in several places stays one node.
NodePointer PruneScans(const NodePointer& plan);

}  // namespace margay::plan
