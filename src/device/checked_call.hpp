#pragma once

#include <atomic>
#include <string>
#include <type_traits>
#include <utility>

#include "device/opencl_api.hpp"
#include "device/process_exit.hpp"

// Private to src/device. Every OpenCL call goes through here: Call() and Create() count it, inject
// faults, throw DeviceError and note lost devices; CallQuietly() is for destructors, which release
// and wait whatever the state of the device, and never throw.

namespace margay::device {

//! Whom calls are made for. Thread-safe.
class CallTarget {
 public:
  //! `name` is used in error messages. `is_device` is false while devices are still looked for.
  CallTarget(std::string name, bool is_device) : name_(std::move(name)), is_device_(is_device) {}

  const std::string& Name() const { return name_; }
  bool IsLost() const { return is_lost_.load(std::memory_order_acquire); }
  void MarkLost() { is_lost_.store(true, std::memory_order_release); }

  //! Calls a function that returns its error.
  template <typename... Parameters, typename... Arguments>
  void Call(const ApiFunction<cl_int(Parameters...)>& function, Arguments&&... arguments) {
    const CallPermit permit;
    BeforeCall(function.name, permit);
    CheckResult(function.name, function.pointer(std::forward<Arguments>(arguments)...));
  }

  //! Calls a function that returns an object (or pointer) and sets its error through the last
  //! parameter, which is added here.
  template <typename Result, typename... Parameters, typename... Arguments>
  Result Create(const ApiFunction<Result(Parameters...)>& function, Arguments&&... arguments) {
    const CallPermit permit;
    BeforeCall(function.name, permit);
    cl_int code = CL_SUCCESS;
    Result result = function.pointer(std::forward<Arguments>(arguments)..., &code);
    CheckResult(function.name, code);
    return result;
  }

  //! Does what comes before a call, and makes none: where one can be spared.
  void RequireAlive(const char* call) { BeforeCall(call, CallPermit()); }

  //! Throws DeviceError unless `code` is CL_SUCCESS, after noting whether the device is lost.
  void CheckResult(const char* call, cl_int code);

 private:
  //! Throws DeviceError if the device is lost, the process ends, or a fault is to be injected.
  void BeforeCall(const char* call, const CallPermit& permit);

  const std::string name_;
  const bool is_device_;
  std::atomic<bool> is_lost_{false};
};

//! Calls without counting, injection or exceptions, and returns what the function returns. Where
//! the process ends nothing is called: an error or null is returned.
template <typename Result, typename... Parameters, typename... Arguments>
Result CallQuietly(const ApiFunction<Result(Parameters...)>& function,
                   Arguments... arguments) noexcept {
  const CallPermit permit;
  if (permit.IsGiven())
    return function.pointer(arguments...);
  if constexpr (std::is_same_v<Result, cl_int>) {
    return CL_DEVICE_NOT_AVAILABLE;
  } else {
    return Result{};
  }
}

}  // namespace margay::device
