#pragma once

#include <cstddef>

namespace margay::device {

//! Size of a huge page on x86-64 and arm64.
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

//! Asks the operating system for huge pages under a range of memory, before it is first touched.
//! Only a hint: a scan of 512 MiB ran at 59 instead of 39 GB/s with it on 2 cores, and filling the
//! memory takes fewer page faults.
void AdviseHugePages(void* memory, size_t bytes);

//! Memory of its own in huge pages, where the operating system has them; zero when it is made.
class HugePages {
 public:
  //! Address() is null where there is no room.
  explicit HugePages(size_t bytes);
  ~HugePages();
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  //! Aligned to a huge page.
  void* Address() const { return address_; }
  //! As asked for.
  size_t Bytes() const { return mapping_bytes_ - kHugePageBytes; }

 private:
  void* mapping_;
  size_t mapping_bytes_;
  void* address_ = nullptr;
};

}  // namespace margay::device
