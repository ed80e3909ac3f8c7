#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace margay::device {

//! A device call that failed. `what()` is a sentence for users: the call, the error's name, the
//! device, and the compiler's log where the call was a build.
class DeviceError : public std::runtime_error {
 public:
  //! `call` is the OpenCL function (or this layer's operation) that failed, `code` its OpenCL
  //! error.
  DeviceError(std::string call, int code, std::string device, std::string build_log = {});

  const std::string& Call() const { return call_; }
  int Code() const { return code_; }
  //! The OpenCL name of Code(), such as "CL_OUT_OF_RESOURCES".
  std::string CodeName() const;
  //! The device's name, or the platform's where no device was known yet.
  const std::string& Device() const { return device_; }
  //! The compiler's messages; empty unless the call was a build.
  const std::string& BuildLog() const { return build_log_; }

  //! True where freeing memory of the device (or host) may make the same call succeed.
  bool IsOutOfMemory() const;
  //! True where the device's context is gone, with all its buffers: it must be opened anew.
  bool IsDeviceLost() const;

 private:
  std::string call_;
  int code_;
  std::string device_;
  std::string build_log_;
};

//! Whether an OpenCL error code by itself means that the context is dead.
bool IsDeviceLostCode(int code);

}  // namespace margay::device
