#include "device/buffer_pool.hpp"

#include <utility>

#include "device/device_state.hpp"

namespace margay::device {

namespace {

//! Sizes are multiples of this: most small buffers are alike then.
constexpr size_t kGranularity = 4096;

//! Memory may be larger than asked for by this part of it; of large buffers by less, as those count
//! in limits.
constexpr size_t kShareOfSlack = 4;
constexpr size_t kShareOfSlackOfLarge = 64;
constexpr size_t kLarge = size_t{1} << 20;

}  // namespace

BufferPool::BufferPool(std::shared_ptr<DeviceState> state, size_t most_idle_bytes)
    : state_(std::move(state)), most_idle_bytes_(most_idle_bytes) {}

BufferPool::~BufferPool() {
  Clear();
}

size_t BufferPool::RoundUp(size_t bytes) {
  return (bytes / kGranularity + (bytes % kGranularity == 0 && bytes != 0 ? 0 : 1)) * kGranularity;
}

BufferPool::Memory BufferPool::Take(size_t bytes) {
  const size_t fewest = RoundUp(bytes);
  const size_t most = fewest + fewest / (fewest < kLarge ? kShareOfSlack : kShareOfSlackOfLarge);
  const std::lock_guard lock(mutex_);
  const uint64_t behind = state_->Clock().Behind();
  auto best = idle_.end();
  for (auto candidate = idle_.begin(); candidate != idle_.end(); ++candidate) {
    const size_t size = candidate->memory.bytes;
    const bool fits = size >= fewest && size <= most && candidate->since <= behind;
    if (fits && (best == idle_.end() || size < best->memory.bytes)) {
      best = candidate;
    }
  }
  if (best == idle_.end()) {
    return {};
  }
  const Memory memory = best->memory;
  idle_bytes_ -= memory.bytes;
  idle_.erase(best);
  return memory;
}

void BufferPool::Return(Memory memory) noexcept {
  std::list<Idle> dropped;
  try {
    if (memory.bytes <= most_idle_bytes_) {
      dropped.push_back({memory, state_->Clock().Tick()});
    }
  } catch (...) {
    // It is not kept.
  }
  if (dropped.empty()) {
    CallQuietly(state_->Api().ReleaseMemObject, memory.handle);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    idle_.splice(idle_.end(), dropped);
    idle_bytes_ += memory.bytes;
    while (idle_bytes_ > most_idle_bytes_) {
      idle_bytes_ -= idle_.front().memory.bytes;
      dropped.splice(dropped.end(), idle_, idle_.begin());
    }
  }
  Release(dropped);
}

void BufferPool::Clear() noexcept {
  std::list<Idle> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(idle_);
    idle_bytes_ = 0;
  }
  Release(dropped);
}

void BufferPool::Release(const std::list<Idle>& memories) noexcept {
  for (const Idle& idle : memories) {
    CallQuietly(state_->Api().ReleaseMemObject, idle.memory.handle);
  }
}

size_t BufferPool::IdleBytes() const {
  const std::lock_guard lock(mutex_);
  return idle_bytes_;
}

}  // namespace margay::device
