#include "memory/pinned_staging.hpp"

#include <utility>

namespace margay::memory {

PinnedStaging::Lease::Lease(PinnedStaging& staging, device::PinnedMemory memory)
    : staging_(&staging), memory_(std::move(memory)) {}

PinnedStaging::Lease::~Lease() {
  if (staging_ != nullptr) {
    staging_->Give(std::move(memory_));
  }
}

PinnedStaging::Lease::Lease(Lease&& other) noexcept
    : staging_(std::exchange(other.staging_, nullptr)), memory_(std::move(other.memory_)) {}

PinnedStaging::PinnedStaging(std::shared_ptr<device::Device> device, size_t piece_bytes,
                             size_t kept)
    : device_(std::move(device)), piece_bytes_(piece_bytes), kept_(kept) {
  idle_.reserve(kept_);
}

PinnedStaging::Lease PinnedStaging::Take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Lease lease(*this, std::move(idle_.back()));
      idle_.pop_back();
      return lease;
    }
  }
  return Lease(*this, device_->CreatePinnedMemory(piece_bytes_));
}

void PinnedStaging::Trim() {
  std::vector<device::PinnedMemory> freed;
  freed.reserve(kept_);
  std::lock_guard lock(mutex_);
  std::swap(freed, idle_);
}

void PinnedStaging::Give(device::PinnedMemory memory) {
  std::lock_guard lock(mutex_);
  if (idle_.size() < kept_) {
    idle_.push_back(std::move(memory));
  }
}

}  // namespace margay::memory
