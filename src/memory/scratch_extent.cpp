#include "memory/scratch_extent.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace margay::memory {

std::optional<ExtentPin> IdleExtents::Take(size_t bytes) {
  for (;;) {
    std::shared_ptr<Extent> extent;
    {
      std::lock_guard lock(mutex_);
      auto found = std::find_if(extents_.begin(), extents_.end(),
                                [&](const auto& candidate) { return candidate->Bytes() == bytes; });
      if (found == extents_.end()) {
        return std::nullopt;
      }
      extent = std::move(*found);
      extents_.erase(found);
    }
    if (auto pin = extent->TryPin()) {
      return pin;
    }
  }
}

void IdleExtents::Put(ExtentPin pin) {
  std::list<std::shared_ptr<Extent>> dropped;
  std::lock_guard lock(mutex_);
  extents_.push_front(pin.PinnedExtent());
  if (extents_.size() > kMostExtents) {
    dropped.splice(dropped.end(), extents_, std::prev(extents_.end()));
  }
}

void IdleExtents::Clear() {
  std::list<std::shared_ptr<Extent>> dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(extents_);
}

ScratchExtent::~ScratchExtent() {
  GiveBack();
}

ScratchExtent& ScratchExtent::operator=(ScratchExtent&& other) noexcept {
  if (this != &other) {
    GiveBack();
    idle_ = std::move(other.idle_);
    pin_ = std::exchange(other.pin_, std::nullopt);
  }
  return *this;
}

void ScratchExtent::GiveBack() noexcept {
  if (idle_ == nullptr || !pin_) {
    return;
  }
  try {
    idle_->Put(std::move(*pin_));
  } catch (const std::bad_alloc&) {
    // It is freed instead.
  }
  pin_.reset();
  idle_.reset();
}

}  // namespace margay::memory
