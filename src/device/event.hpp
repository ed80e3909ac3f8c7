#pragma once

#include <cstdint>
#include <memory>

struct _cl_event;

namespace margay::device {

class DeviceState;

//! The end of one command. Move-only. A default-constructed event is complete and took no time.
//! The const methods may be called by several threads. All calls throw DeviceError, also where the
//! command itself failed.
class Event {
 public:
  Event() = default;
  //! Takes ownership of `handle`. For this layer only.
  Event(std::shared_ptr<DeviceState> state, _cl_event* handle);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  //! Waits until the command is done; hands the queue's commands to the device first.
  void Wait() const;
  //! Does not wait. The queue must have been flushed for this to become true.
  bool IsComplete() const;
  //! The time the command ran on the device, by the device's clock. Waits until it is done.
  uint64_t KernelNanoseconds() const;

  //! Waits without throwing. For this layer only.
  void Drain() const noexcept;

 private:
  std::shared_ptr<DeviceState> state_;
  _cl_event* handle_ = nullptr;
};

}  // namespace margay::device
