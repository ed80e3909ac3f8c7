#pragma once

#include <cstdint>

namespace margay::device {

//! Makes device calls fail on purpose, for tests; off by default, at the cost of one relaxed
//! increment per call. Process-wide: calls of all threads and devices count. Releases of objects
//! neither count nor fail. Thread-safe.
class FaultInjection {
 public:
  //! The `n`th checked call from now (1 is the next one) fails once with the OpenCL error `code`,
  //! without reaching the device.
  static void FailCall(uint64_t n, int code);

  //! From the `n`th checked call on, the device that this call is for is lost: all its calls fail
  //! until it is opened again.
  static void LoseDeviceAtCall(uint64_t n);

  //! Checked calls since the start of the process or the last Reset().
  static uint64_t Calls();

  //! Turns all injection off and sets Calls() to 0.
  static void Reset();

  //! Counts a call and returns the error it has to fail with, 0 for none. For the checked wrapper
  //! only. `is_on_device` is false for calls that look for devices, which can't lose one.
  static int CountCall(bool is_on_device);
};

}  // namespace margay::device
