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

HugePages::HugePages(size_t bytes) : mapping_bytes_(bytes + kHugePageBytes) {
  mapping_ =
      mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    return;
  }
  AdviseHugePages(mapping_, mapping_bytes_);
  const auto start = reinterpret_cast<uintptr_t>(mapping_);
  address_ =
      reinterpret_cast<void*>((start + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes);
}

HugePages::~HugePages() {
  if (mapping_ != MAP_FAILED) {
    munmap(mapping_, mapping_bytes_);
  }
}

}  // namespace margay::device
