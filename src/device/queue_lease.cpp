#include "device/queue_lease.hpp"

#include <utility>

#include "device/device_state.hpp"
#include "device/staging_ring.hpp"

namespace margay::device {

QueueLease::QueueLease(std::shared_ptr<DeviceState> state, std::shared_ptr<StagingRing> staging)
    : state_(std::move(state)) {
  auto activity = state_->Clock().Register();
  queue_.emplace(state_, std::move(activity), state_->TakeQueue(), std::move(staging));
}

QueueLease::~QueueLease() {
  Return();
}

QueueLease::QueueLease(QueueLease&& other) noexcept
    : state_(std::move(other.state_)), queue_(std::move(other.queue_)) {
  other.queue_.reset();
}

QueueLease& QueueLease::operator=(QueueLease&& other) noexcept {
  if (this != &other) {
    Return();
    state_ = std::move(other.state_);
    if (other.queue_) {
      queue_.emplace(std::move(*other.queue_));
      other.queue_.reset();
    }
  }
  return *this;
}

void QueueLease::Return() noexcept {
  if (queue_ && queue_->Drain() && !state_->IsLost()) {
    state_->ReturnQueue(queue_->Detach());
  }
  queue_.reset();
}

}  // namespace margay::device
