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
  chunks_.idle.reserve(kChunkLimit);
  readbacks_.idle.reserve(kReadbackLimit);
}

StagingChunk StagingRing::Acquire() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (std::optional<PinnedMemory> memory = Take(chunks_, lock)) {
      return StagingChunk(shared_from_this(), std::move(*memory));
    }
    returned_.wait(lock);
  }
}

std::optional<StagingChunk> StagingRing::TryAcquire() {
  std::unique_lock lock(mutex_);
  if (std::optional<PinnedMemory> memory = Take(chunks_, lock)) {
    return StagingChunk(shared_from_this(), std::move(*memory));
  }
  return std::nullopt;
}

std::optional<StagingChunk> StagingRing::TryAcquireReadback() {
  std::unique_lock lock(mutex_);
  if (std::optional<PinnedMemory> memory = Take(readbacks_, lock)) {
    return StagingChunk(shared_from_this(), std::move(*memory));
  }
  return std::nullopt;
}

std::optional<PinnedMemory> StagingRing::Take(Shelf& shelf, std::unique_lock<std::mutex>& lock) {
  if (!shelf.idle.empty()) {
    PinnedMemory memory = std::move(shelf.idle.back());
    shelf.idle.pop_back();
    return memory;
  }
  if (shelf.chunks == shelf.limit) {
    return std::nullopt;
  }
  ++shelf.chunks;
  lock.unlock();
  try {
    PinnedMemory memory(state_, shelf.chunk_bytes);
    lock.lock();
    return memory;
  } catch (...) {
    lock.lock();
    --shelf.chunks;
    returned_.notify_one();
    throw;
  }
}

void StagingRing::Return(PinnedMemory memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    Shelf& shelf = memory.Size() == kReadbackBytes ? readbacks_ : chunks_;
    shelf.idle.push_back(std::move(memory));
  }
  returned_.notify_one();
}

}  // namespace margay::device
