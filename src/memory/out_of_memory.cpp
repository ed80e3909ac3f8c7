#include "memory/out_of_memory.hpp"

#include <limits>

namespace margay::memory {

OutOfMemory::OutOfMemory(const std::string& place, uint64_t needed, uint64_t limit, uint64_t used)
    : std::runtime_error(
          "no room in the memory of " + place + ": " + std::to_string(needed) +
          " bytes are needed, " + std::to_string(used) + " are in use, and the limit is " +
          (limit == std::numeric_limits<uint64_t>::max() ? "not set" : std::to_string(limit))),
      needed_(needed),
      limit_(limit),
      used_(used) {}

}  // namespace margay::memory
