#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "memory/extent.hpp"

namespace margay::memory {

//! Extents that executions have given back and others may take: memory that is fresh from the
//! operating system, or from a driver, costs more than what most executions do with it. They are
//! not pinned, so that they are evicted like all others. Thread-safe.
class IdleExtents {
 public:
  //! One of exactly `bytes`, if there is any.
  std::optional<ExtentPin> Take(size_t bytes);
  void Put(ExtentPin pin);
  void Clear();

 private:
  //! Enough for the tables of a few queries.
  static constexpr size_t kMostExtents = 16;

  std::mutex mutex_;
  //! The one that was given back last comes first.
  std::list<std::shared_ptr<Extent>> extents_;
};

//! Memory for the tables of one execution, which goes back to the idle extents with the object. By
//! then the host must have waited for all commands that use it: the next one to take it may use
//! another queue. Move-only; a default-constructed or moved-from one is empty.
class ScratchExtent {
 public:
  ScratchExtent() = default;
  ScratchExtent(std::shared_ptr<IdleExtents> idle, ExtentPin pin)
      : idle_(std::move(idle)), pin_(std::move(pin)) {}
  ~ScratchExtent();
  ScratchExtent(ScratchExtent&& other) noexcept = default;
  ScratchExtent& operator=(ScratchExtent&& other) noexcept;
  ScratchExtent(const ScratchExtent&) = delete;
  ScratchExtent& operator=(const ScratchExtent&) = delete;

  const device::Buffer& Buffer() const { return pin_->Buffer(); }

 private:
  void GiveBack() noexcept;

  std::shared_ptr<IdleExtents> idle_;
  std::optional<ExtentPin> pin_;
};

}  // namespace margay::memory
