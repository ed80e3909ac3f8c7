#pragma once

#include "device/opencl_api.hpp"

// Private to src/device.
//
// OpenCL runtimes tear themselves down in exit handlers, while threads of ours may still compile,
// launch and wait: they crash, and the process ends with SIGABRT. What runs before these handlers
// (the end of the main thread's local objects, or a handler of ours that was registered later) lets
// no new call begin, and waits, for some seconds at the most, for those that have begun and for
// what queues still do. From then on calls are refused.

namespace margay::device {

//! The right to call OpenCL, for the lifetime of the object. Thread-safe.
class CallPermit {
 public:
  //! Where the process is about to end, waits until the runtime is left to itself.
  CallPermit() noexcept;
  ~CallPermit();
  CallPermit(const CallPermit&) = delete;
  CallPermit& operator=(const CallPermit&) = delete;

  //! False: the process ends, and no call may be made.
  bool IsGiven() const { return is_given_; }

 private:
  bool is_given_ = true;
};

class ProcessExit {
 public:
  //! What makes runtimes register exit handlers, of which the last one runs first.
  enum class Stage { Load, Context, Build, Run };

  //! Registers the handler behind those of the runtime, once per stage. Thread-safe.
  static void HandleAfter(Stage stage);

  //! A queue whose commands the handler waits for, from its creation to its release. Thread-safe.
  static void AddQueue(const OpenClApi& api, cl_command_queue queue) noexcept;
  static void RemoveQueue(cl_command_queue queue) noexcept;
};

}  // namespace margay::device
