#include "device/command_clock.hpp"

#include <algorithm>

namespace margay::device {

std::shared_ptr<CommandClock::Activity> CommandClock::Register() {
  auto activity = std::make_shared<Activity>();
  const std::lock_guard lock(mutex_);
  std::erase_if(activities_, [](const std::weak_ptr<Activity>& gone) { return gone.expired(); });
  activities_.push_back(activity);
  return activity;
}

uint64_t CommandClock::Behind() const {
  uint64_t behind = UINT64_MAX;
  const std::lock_guard lock(mutex_);
  for (const std::weak_ptr<Activity>& registered : activities_) {
    // One that is gone has waited for all of its commands, or the device is lost.
    if (const std::shared_ptr<Activity> activity = registered.lock()) {
      const uint64_t busy_since = activity->busy_since_.load(std::memory_order_acquire);
      behind = busy_since == 0 ? behind : std::min(behind, busy_since - 1);
    }
  }
  return behind;
}

}  // namespace margay::device
