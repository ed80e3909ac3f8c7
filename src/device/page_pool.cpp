#include "device/page_pool.hpp"

#include <new>
#include <utility>

namespace margay::device {

std::unique_ptr<HugePages> PagePool::Take(size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    auto best = idle_.end();
    for (auto pages = idle_.begin(); pages != idle_.end(); ++pages) {
      const size_t size = (*pages)->Bytes();
      if (size >= bytes && size / 2 <= bytes && (best == idle_.end() || size < (*best)->Bytes())) {
        best = pages;
      }
    }
    if (best != idle_.end()) {
      std::unique_ptr<HugePages> taken = std::move(*best);
      idle_.erase(best);
      idle_bytes_ -= taken->Bytes();
      return taken;
    }
  }
  auto pages = std::make_unique<HugePages>(bytes);
  if (pages->Address() == nullptr) {
    Clear();
    pages = std::make_unique<HugePages>(bytes);
  }
  return pages;
}

void PagePool::Return(std::unique_ptr<HugePages> pages) noexcept {
  const size_t bytes = pages->Bytes();
  if (bytes > most_idle_bytes_) {
    return;
  }
  try {
    std::deque<std::unique_ptr<HugePages>> dropped;  // freed after the lock: that takes long
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(pages));
    idle_bytes_ += bytes;
    while (idle_bytes_ > most_idle_bytes_) {
      dropped.push_back(std::move(idle_.front()));
      idle_.pop_front();
      idle_bytes_ -= dropped.back()->Bytes();
    }
  } catch (const std::bad_alloc&) {
    // They go back now.
  }
}

void PagePool::Clear() {
  std::deque<std::unique_ptr<HugePages>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(idle_);
  idle_bytes_ = 0;
}

size_t PagePool::IdleBytes() const {
  const std::lock_guard lock(mutex_);
  return idle_bytes_;
}

}  // namespace margay::device
