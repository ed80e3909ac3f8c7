#include "device/staging_ring.hpp"

#include <utility>

#include "device/device_state.hpp"

namespace margay::device {

StagingChunk::StagingChunk(std::shared_ptr<StagingRing> ring, PinnedMemory memory)
    : ring_(std::move(ring)), memory_(std::move(memory)) {}

StagingChunk::~StagingChunk() {
  if (ring_ != nullptr) {
    ring_->Return(std::move(memory_));
  }
}

StagingRing::StagingRing(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {
  idle_.reserve(kChunkLimit);
}

StagingChunk StagingRing::Acquire() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (std::optional<PinnedMemory> memory = Take(lock)) {
      return StagingChunk(shared_from_this(), std::move(*memory));
    }
    returned_.wait(lock);
  }
}

std::optional<StagingChunk> StagingRing::TryAcquire() {
  std::unique_lock lock(mutex_);
  if (std::optional<PinnedMemory> memory = Take(lock)) {
    return StagingChunk(shared_from_this(), std::move(*memory));
  }
  return std::nullopt;
}

std::optional<PinnedMemory> StagingRing::Take(std::unique_lock<std::mutex>& lock) {
  if (!idle_.empty()) {
    PinnedMemory memory = std::move(idle_.back());
    idle_.pop_back();
    return memory;
  }
  if (chunks_ == kChunkLimit) {
    return std::nullopt;
  }
  ++chunks_;
  lock.unlock();
  try {
    PinnedMemory memory(state_, kChunkBytes);
    lock.lock();
    return memory;
  } catch (...) {
    lock.lock();
    --chunks_;
    returned_.notify_one();
    throw;
  }
}

void StagingRing::Return(PinnedMemory memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(memory));
  }
  returned_.notify_one();
}

}  // namespace margay::device
