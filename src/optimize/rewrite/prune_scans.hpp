#pragma once

#include "plan/node.hpp"

namespace margay::optimize {

//! `plan` without what nothing uses: columns of scans, and outputs of projections in between. Its
//! own output is the same, and an aggregate that it has in several places stays one node.
plan::NodePointer PruneScans(const plan::NodePointer& plan);

}  // namespace margay::optimize
