#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

// Private to src/device.

namespace margay::device {

//! Tells which moment lies behind all queues of a device: commands that they were given before it
//! are done. The device is not asked for it; queues say when they get something to do, and when the
//! host has waited for all of it. Thread-safe.
class CommandClock {
 public:
  //! One queue's word. Written by the holder of the queue alone.
  class Activity {
   public:
    //! Before a command is given to a queue that has none.
    void Begin(const CommandClock& clock) {
      busy_since_.store(clock.now_.load(std::memory_order_acquire) + 1, std::memory_order_release);
    }
    //! The host has waited for all of them.
    void End() { busy_since_.store(0, std::memory_order_release); }

   private:
    friend class CommandClock;
    //! The moment before which it had nothing to do; 0: it has nothing.
    std::atomic<uint64_t> busy_since_{0};
  };

  //! For a new queue, whose last owner the caller is.
  std::shared_ptr<Activity> Register();

  //! Now. Commands that are given to a queue later are not meant.
  uint64_t Tick() { return now_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  //! The last moment before which all commands are known to be done.
  uint64_t Behind() const;

 private:
  std::atomic<uint64_t> now_{0};
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Activity>> activities_;
};

}  // namespace margay::device
