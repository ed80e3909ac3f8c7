#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace margay::device {

//! What is known about a cached program.
struct ProgramStatistics {
  std::shared_ptr<const std::string> source;
  //! The options it was built with, those that are always added included.
  std::string options;
  //! Where it came from when it entered memory: "compiled" or "disk".
  std::string origin;
  //! The time to compile, or to load the stored binary.
  double build_milliseconds = 0;
  //! Size of the device's binary.
  uint64_t binary_bytes = 0;
  //! What the program takes in memory, by an estimate: see ProgramCache.
  uint64_t memory_bytes = 0;
  //! How often the cache handed it out.
  uint64_t uses = 0;
};

}  // namespace margay::device
