#pragma once

#include <memory>
#include <string>

#include "device/device_state.hpp"

// Private to src/device.

namespace margay::device {

//! A program on its way to being built; released with the object unless detached. Not thread-safe.
class ProgramBuilder {
 public:
  //! Throws DeviceError, as all calls do.
  static ProgramBuilder FromSource(std::shared_ptr<DeviceState> state, const std::string& source);
  static ProgramBuilder FromBinary(std::shared_ptr<DeviceState> state, const std::string& binary);

  ~ProgramBuilder();
  ProgramBuilder(ProgramBuilder&& other) noexcept;
  ProgramBuilder& operator=(ProgramBuilder&& other) noexcept;

  //! The error carries the compiler's log.
  void Build(const std::string& options);
  //! The device's binary of the built program.
  std::string Binary();
  //! Gives up the OpenCL object.
  cl_program Detach() noexcept;

 private:
  ProgramBuilder(std::shared_ptr<DeviceState> state, cl_program handle);
  std::string BuildLog();

  std::shared_ptr<DeviceState> state_;
  cl_program handle_;
};

}  // namespace margay::device
