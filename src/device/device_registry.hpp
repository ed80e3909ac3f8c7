#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "device/device_info.hpp"

namespace margay::device {

struct RegisteredDevice;

//! The devices of this process. OpenCL libraries are opened at the first call of Devices(),
//! Problem(), Find() or Open(), never before, and never closed.
//!
//! The one instance is leaked on purpose: OpenCL runtimes tear themselves down in their own exit
//! handlers, which may run before our static destructors, and releasing an object of a runtime that
//! is gone crashes. For the same reason nobody may keep devices, buffers or programs in static
//! variables that are destroyed at exit. A forked child may not use devices its parent has used.
//!
//! Thread-safe.
class DeviceRegistry {
 public:
  static DeviceRegistry& Instance();

  DeviceRegistry(const DeviceRegistry&) = delete;
  DeviceRegistry& operator=(const DeviceRegistry&) = delete;

  //! All devices, usable or not; each one's `index` is its position. The vector never changes after
  //! the first call. Empty when no OpenCL runtime is installed; never throws for a broken one.
  const std::vector<DeviceInfo>& Devices();

  //! Why there is no usable device, with the packages to install; empty if there is one.
  std::string Problem();

  //! Why Intel's runtime, which is there, does not load, with what to install; else empty.
  std::string BrokenRuntime();

  //! The usable device that `selector` names: "auto", an index, a kind ("cpu", "gpu",
  //! "accelerator"), or a part of the device's or platform's name, ignoring case. Where several
  //! match, a GPU comes before Intel's CPU runtime, then PoCL, then others. "auto" never chooses
  //! Oclgrind, which checks kernels and is thousands of times slower. When nothing matches, the
  //! answer is empty and `problem` (if not null) is a sentence that lists what exists.
  std::optional<size_t> Find(std::string_view selector, std::string* problem);

  //! The device at `index`, one object shared by all callers and kept open. When that object is
  //! lost, a fresh one takes its place. Throws DeviceError if the device is unusable or can't be
  //! opened, std::out_of_range if there is no such index. After an illegal access by a kernel,
  //! NVIDIA's driver refuses new contexts to the whole process (seen with 580.159), so the error
  //! then says again that the device is lost: a caller gives up and does not try in a loop.
  std::shared_ptr<Device> Open(size_t index);

  //! Adds a folder in which libintelocl.so may be. Without effect after the first use.
  void AddSearchPath(std::string folder);

 private:
  DeviceRegistry();
  ~DeviceRegistry();

  void EnumerateOnce();

  std::once_flag enumerated_;
  std::vector<DeviceInfo> infos_;
  std::vector<std::unique_ptr<RegisteredDevice>> devices_;
  //! What went wrong while looking for runtimes.
  std::string load_problem_;
  std::string broken_runtime_;

  std::mutex mutex_;
  std::vector<std::string> search_paths_;
};

}  // namespace margay::device
