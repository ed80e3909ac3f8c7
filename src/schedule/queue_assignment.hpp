#pragma once

#include <cstddef>
#include <vector>

#include "optimize/physical/program.hpp"

namespace margay::schedule {

//! Which queue of a device each pipeline of a program is given to, of `most_queues` at the most: by
//! list scheduling, pipelines in the order of the program, each to the queue that can begin with it
//! first. Pipelines that feed one sink share a queue, in which they run one after the other; so
//! does a chain of pipelines that need each other's results. Queues have the numbers from 0 on.
std::vector<size_t> AssignQueues(const optimize::Program& program, size_t most_queues);

}  // namespace margay::schedule
