#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "device/huge_pages.hpp"

namespace margay::device {

//! Huge pages that buffers have let go of, for those that are made next. The operating system
//! clears the pages it hands out, two megabytes where one byte is written: of results with few rows
//! that takes longer than all else. Thread-safe.
class PagePool {
 public:
  //! Idle pages beyond `most_idle_bytes` go back to the operating system.
  explicit PagePool(size_t most_idle_bytes) : most_idle_bytes_(most_idle_bytes) {}

  //! `bytes` or up to twice as many, of any content. Address() is null where there is no room, also
  //! without idle pages.
  std::unique_ptr<HugePages> Take(size_t bytes);
  void Return(std::unique_ptr<HugePages> pages) noexcept;
  void Clear();

  size_t IdleBytes() const;

 private:
  const size_t most_idle_bytes_;
  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<HugePages>> idle_;  //!< in the order in which they came back
  size_t idle_bytes_ = 0;
};

}  // namespace margay::device
