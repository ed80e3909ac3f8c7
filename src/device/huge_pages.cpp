#include "device/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace margay::device {

void AdviseHugePages(void* memory, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t begin = (address + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end = (address + bytes) / kHugePageBytes * kHugePageBytes;
  if (begin >= end) {
    return;
  }
  // Kernels without huge pages refuse, which is as good as no hint.
  static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
}

}  // namespace margay::device
