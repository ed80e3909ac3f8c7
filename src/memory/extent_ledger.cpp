#include "memory/extent_ledger.hpp"

#include <utility>

namespace margay::memory {

ExtentLedger::ExtentLedger(std::shared_ptr<device::Device> device, uint64_t limit)
    : device_(std::move(device)), limit_(limit) {}

void ExtentLedger::Charge(uint64_t bytes) {
  std::vector<Content> evicted;
  std::lock_guard lock(mutex_);
  evicted = EvictFor(bytes);
  if (!Fits(bytes)) {
    throw LimitReached(device_->Info().name, bytes, limit_, used_);
  }
  used_ += bytes;
}

void ExtentLedger::Discharge(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= bytes;
}

void ExtentLedger::SetLimit(uint64_t bytes) {
  std::vector<Content> evicted;
  std::lock_guard lock(mutex_);
  limit_ = bytes;
  evicted = EvictFor(0);
}

uint64_t ExtentLedger::Limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

uint64_t ExtentLedger::Used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

uint64_t ExtentLedger::Pinned() const {
  std::lock_guard lock(mutex_);
  return used_ - evictable_bytes_;
}

void ExtentLedger::EvictAll() {
  std::vector<Content> evicted;
  std::lock_guard lock(mutex_);
  while (!evictable_.empty()) {
    evicted.push_back(Lose(*evictable_.front()));
  }
}

bool ExtentLedger::EvictOne() {
  Content evicted;
  std::lock_guard lock(mutex_);
  if (evictable_.empty()) {
    return false;
  }
  evicted = Lose(*evictable_.front());
  return true;
}

OutOfMemory ExtentLedger::NoRoomFor(uint64_t bytes) const {
  std::lock_guard lock(mutex_);
  return OutOfMemory(device_->Info().name, bytes, limit_, used_);
}

bool ExtentLedger::TryPin(Extent& extent) {
  Content lost;
  std::lock_guard lock(mutex_);
  if (extent.is_lost_) {
    return false;
  }
  if (extent.pins_ == 0) {
    if (extent.block_ != nullptr) {
      std::byte* address = extent.block_->TryPin();
      if (address == nullptr) {
        lost = Lose(extent);
        return false;
      }
      try {
        extent.buffer_ = device_->WrapHostMemory(address, extent.bytes_);
      } catch (...) {
        extent.block_->Unpin();
        throw;
      }
      extent.host_address_ = address;
    }
    evictable_.erase(extent.position_);
    evictable_bytes_ -= extent.bytes_;
  }
  extent.pins_++;
  return true;
}

void ExtentLedger::Unpin(Extent& extent) {
  std::vector<Content> evicted;
  std::shared_ptr<HostBlock> block;
  {
    device::Buffer wrapper;
    std::lock_guard lock(mutex_);
    if (--extent.pins_ > 0 || extent.is_lost_) {
      return;
    }
    if (extent.block_ != nullptr) {
      block = extent.block_;
      wrapper = std::move(extent.buffer_);
      extent.host_address_ = nullptr;
    }
    extent.position_ = evictable_.insert(evictable_.end(), &extent);
    evictable_bytes_ += extent.bytes_;
    evicted = EvictFor(0);
  }
  if (block != nullptr) {
    block->Unpin();
  }
}

bool ExtentLedger::IsLost(const Extent& extent) const {
  std::lock_guard lock(mutex_);
  if (extent.is_lost_ || extent.pins_ > 0 || extent.block_ == nullptr) {
    return extent.is_lost_;
  }
  if (extent.block_->TryPin() == nullptr) {
    return true;
  }
  extent.block_->Unpin();
  return false;
}

bool ExtentLedger::MoveContent(Extent& from, Extent& to) {
  std::lock_guard lock(mutex_);
  if (!to.is_lost_) {
    return false;
  }
  to.block_ = std::move(from.block_);
  to.buffer_ = std::move(from.buffer_);
  to.host_address_ = std::exchange(from.host_address_, nullptr);
  to.pins_ = 1;
  to.is_lost_ = false;
  from.is_lost_ = true;
  return true;
}

void ExtentLedger::Remove(Extent& extent) {
  Content removed;
  std::lock_guard lock(mutex_);
  if (!extent.is_lost_) {
    removed = Lose(extent);
  }
}

ExtentLedger::Content ExtentLedger::Lose(Extent& extent) {
  evictable_.erase(extent.position_);
  evictable_bytes_ -= extent.bytes_;
  used_ -= extent.bytes_;
  extent.is_lost_ = true;
  return Content{std::move(extent.block_), std::move(extent.buffer_)};
}

std::vector<ExtentLedger::Content> ExtentLedger::EvictFor(uint64_t bytes) {
  std::vector<Content> evicted;
  if (bytes > limit_) {
    return evicted;
  }
  while (!Fits(bytes) && !evictable_.empty()) {
    evicted.push_back(Lose(*evictable_.front()));
  }
  return evicted;
}

}  // namespace margay::memory
