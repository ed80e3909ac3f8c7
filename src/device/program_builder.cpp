#include "device/program_builder.hpp"

#include <utility>

#include "device/device_error.hpp"

namespace margay::device {

ProgramBuilder::ProgramBuilder(std::shared_ptr<DeviceState> state, cl_program handle)
    : state_(std::move(state)), handle_(handle) {}

ProgramBuilder::~ProgramBuilder() {
  if (handle_ != nullptr) {
    CallQuietly(state_->Api().ReleaseProgram, handle_);
  }
}

ProgramBuilder::ProgramBuilder(ProgramBuilder&& other) noexcept
    : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, nullptr)) {}

ProgramBuilder& ProgramBuilder::operator=(ProgramBuilder&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(handle_, other.handle_);
  return *this;
}

ProgramBuilder ProgramBuilder::FromSource(std::shared_ptr<DeviceState> state,
                                          const std::string& source) {
  const char* text = source.data();
  const size_t length = source.size();
  cl_program handle =
      state->Create(state->Api().CreateProgramWithSource, state->Context(), 1, &text, &length);
  return ProgramBuilder(std::move(state), handle);
}

ProgramBuilder ProgramBuilder::FromBinary(std::shared_ptr<DeviceState> state,
                                          const std::string& binary) {
  const cl_device_id device = state->Id();
  const size_t length = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS;
  cl_program handle = state->Create(state->Api().CreateProgramWithBinary, state->Context(), 1,
                                    &device, &length, &bytes, &status);
  ProgramBuilder builder(std::move(state), handle);
  builder.state_->CheckResult("clCreateProgramWithBinary", status);
  return builder;
}

void ProgramBuilder::Build(const std::string& options) {
  const cl_device_id device = state_->Id();
  try {
    state_->Call(state_->Api().BuildProgram, handle_, 1, &device, options.c_str(), nullptr,
                 nullptr);
    ProcessExit::HandleAfter(ProcessExit::Stage::Build);
  } catch (const DeviceError& error) {
    if (error.IsDeviceLost()) {
      throw;
    }
    throw DeviceError(error.Call(), error.Code(), error.Device(), BuildLog());
  }
}

std::string ProgramBuilder::BuildLog() {
  try {
    size_t size = 0;
    state_->Call(state_->Api().GetProgramBuildInfo, handle_, state_->Id(), CL_PROGRAM_BUILD_LOG, 0,
                 nullptr, &size);
    std::string log(size, '\0');
    state_->Call(state_->Api().GetProgramBuildInfo, handle_, state_->Id(), CL_PROGRAM_BUILD_LOG,
                 size, log.data(), nullptr);
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
  } catch (const DeviceError&) {
    return "(the driver gives no log)";
  }
}

std::string ProgramBuilder::Binary() {
  size_t size = 0;
  state_->Call(state_->Api().GetProgramInfo, handle_, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size,
               nullptr);
  std::string binary(size, '\0');
  char* bytes = binary.data();
  state_->Call(state_->Api().GetProgramInfo, handle_, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes,
               nullptr);
  return binary;
}

cl_program ProgramBuilder::Detach() noexcept {
  return std::exchange(handle_, nullptr);
}

}  // namespace margay::device
