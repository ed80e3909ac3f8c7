#pragma once

#include <memory>
#include <optional>

#include "device/queue.hpp"

namespace margay::device {

class DeviceState;
class StagingRing;

//! The right to use one queue of a device's pool. Its destruction waits for the queue's commands,
//! so buffers and host memory declared before the lease outlive all uses, also when an exception
//! unwinds. Move-only, not thread-safe.
class QueueLease {
 public:
  //! For this layer only; others call Device::AcquireQueue().
  QueueLease(std::shared_ptr<DeviceState> state, std::shared_ptr<StagingRing> staging);
  ~QueueLease();
  QueueLease(QueueLease&& other) noexcept;
  QueueLease& operator=(QueueLease&& other) noexcept;
  QueueLease(const QueueLease&) = delete;
  QueueLease& operator=(const QueueLease&) = delete;

  Queue& operator*() { return *queue_; }
  Queue* operator->() { return &*queue_; }

 private:
  void Return() noexcept;

  std::shared_ptr<DeviceState> state_;
  std::optional<Queue> queue_;
};

}  // namespace margay::device
