#pragma once

#include <mutex>
#include <vector>

#include "device/checked_call.hpp"
#include "device/command_clock.hpp"
#include "device/device_query.hpp"
#include "device/opencl_api.hpp"

// Private to src/device.

namespace margay::device {

//! The context of an open device and its idle queues, shared by all objects made in it and released
//! with the last of them. Thread-safe.
class DeviceState : public CallTarget {
 public:
  //! Creates the context. Throws DeviceError.
  explicit DeviceState(FoundDevice device);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const OpenClApi& Api() const { return *device_.api; }
  const FoundDevice& Found() const { return device_; }
  const DeviceInfo& Info() const { return device_.info; }
  cl_device_id Id() const { return device_.id; }
  cl_context Context() const { return context_; }
  bool IsZeroCopy() const;
  CommandClock& Clock() { return clock_; }

  //! An idle queue, or a new one. The caller owns it.
  cl_command_queue TakeQueue();
  //! The same for destructors, also on a lost device; null if there is none.
  cl_command_queue TakeQueueQuietly() noexcept;
  //! Takes ownership of a queue without pending commands.
  void ReturnQueue(cl_command_queue queue) noexcept;
  void ReleaseQueue(cl_command_queue queue) noexcept;

 private:
  //! An idle queue, or null.
  cl_command_queue TakeIdleQueue() noexcept;

  const FoundDevice device_;
  cl_context context_ = nullptr;
  CommandClock clock_;
  std::mutex mutex_;
  std::vector<cl_command_queue> idle_queues_;
};

}  // namespace margay::device
