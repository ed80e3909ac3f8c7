#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace margay::memory {

//! There is no room, even after everything that may be evicted was. `what()` is a sentence for
//! users with the three figures, all in bytes.
class OutOfMemory : public std::runtime_error {
 public:
  //! `place` is whose memory it is, such as a device's name.
  OutOfMemory(const std::string& place, uint64_t needed, uint64_t limit, uint64_t used);

  uint64_t Needed() const { return needed_; }
  uint64_t Limit() const { return limit_; }
  uint64_t Used() const { return used_; }

 private:
  uint64_t needed_;
  uint64_t limit_;
  uint64_t used_;
};

//! The limit that was set for a device's memory leaves no room: a higher one would help.
class LimitReached : public OutOfMemory {
 public:
  using OutOfMemory::OutOfMemory;
};

}  // namespace margay::memory
