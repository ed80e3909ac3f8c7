#pragma once

#include <cstddef>
#include <functional>

namespace margay::storage {

//! Calls the function once for every index below `count`, on any threads and in any order, and
//! returns when all calls are done. Where calls throw, one of the exceptions comes out, after all
//! running calls have ended; indexes that were not started may be left out then. Given by callers
//! that have threads.
using ParallelFor = std::function<void(size_t count, const std::function<void(size_t)>& function)>;

//! All calls on the caller's thread, in order.
void SequentialFor(size_t count, const std::function<void(size_t)>& function);

}  // namespace margay::storage
