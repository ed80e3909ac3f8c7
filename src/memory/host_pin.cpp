#include "memory/host_pin.hpp"

#include <limits>

namespace margay::memory {

HostPin HostPin::Allocate(HostAllocator& allocator, size_t bytes) {
  HostPin pin(allocator.Allocate(bytes));
  if (pin.Address() == nullptr) {
    // Dropped between the two calls: the host is as short of memory as it can be.
    throw OutOfMemory("the host", bytes, std::numeric_limits<uint64_t>::max(), 0);
  }
  return pin;
}

}  // namespace margay::memory
