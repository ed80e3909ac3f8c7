#include "process_memory.hpp"

#include <fstream>
#include <string>

namespace margay::tool {

uint64_t ResidentBytes() {
  constexpr uint64_t kilobyte = 1024;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") {
      uint64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * kilobyte;
    }
  }
  return 0;
}

}  // namespace margay::tool
