#pragma once

#include <cstdint>

namespace margay::tool {

//! Bytes of this process that are in the machine's memory (VmRSS), without what lies on other
//! devices; 0 where the system does not tell.
uint64_t ResidentBytes();

}  // namespace margay::tool
