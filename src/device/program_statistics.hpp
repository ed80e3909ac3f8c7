#pragma once

#include <cstdint>
#include <string>

namespace margay::device {

//! What is known about a cached program.
struct ProgramStatistics {
  std::string source;
  //! The options it was built with, those that are always added included.
  std::string options;
  //! Where it came from when it entered memory: "compiled" or "disk".
  std::string origin;
  //! The time to compile, or to load the stored binary.
  double build_milliseconds = 0;
  //! Size of the device's binary; 0 where the disk cache is off.
  uint64_t binary_bytes = 0;
  //! How often the cache handed it out.
  uint64_t uses = 0;
};

}  // namespace margay::device
