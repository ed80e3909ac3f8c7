#include "device/device_error.hpp"

#include <utility>

#include "device/opencl_api.hpp"

namespace margay::device {

namespace {

//! NVIDIA's code for a kernel that touched memory it may not; the context is dead after it.
constexpr int kNvidiaIllegalAccess = -9999;

std::string NameOfCode(int code) {
  switch (code) {
#define MARGAY_NAME(code_name) \
  case code_name:              \
    return #code_name
    MARGAY_NAME(CL_SUCCESS);
    MARGAY_NAME(CL_DEVICE_NOT_FOUND);
    MARGAY_NAME(CL_DEVICE_NOT_AVAILABLE);
    MARGAY_NAME(CL_COMPILER_NOT_AVAILABLE);
    MARGAY_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    MARGAY_NAME(CL_OUT_OF_RESOURCES);
    MARGAY_NAME(CL_OUT_OF_HOST_MEMORY);
    MARGAY_NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
    MARGAY_NAME(CL_MEM_COPY_OVERLAP);
    MARGAY_NAME(CL_BUILD_PROGRAM_FAILURE);
    MARGAY_NAME(CL_MAP_FAILURE);
    MARGAY_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    MARGAY_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    MARGAY_NAME(CL_COMPILE_PROGRAM_FAILURE);
    MARGAY_NAME(CL_LINKER_NOT_AVAILABLE);
    MARGAY_NAME(CL_LINK_PROGRAM_FAILURE);
    MARGAY_NAME(CL_INVALID_VALUE);
    MARGAY_NAME(CL_INVALID_DEVICE_TYPE);
    MARGAY_NAME(CL_INVALID_PLATFORM);
    MARGAY_NAME(CL_INVALID_DEVICE);
    MARGAY_NAME(CL_INVALID_CONTEXT);
    MARGAY_NAME(CL_INVALID_QUEUE_PROPERTIES);
    MARGAY_NAME(CL_INVALID_COMMAND_QUEUE);
    MARGAY_NAME(CL_INVALID_HOST_PTR);
    MARGAY_NAME(CL_INVALID_MEM_OBJECT);
    MARGAY_NAME(CL_INVALID_BINARY);
    MARGAY_NAME(CL_INVALID_BUILD_OPTIONS);
    MARGAY_NAME(CL_INVALID_PROGRAM);
    MARGAY_NAME(CL_INVALID_PROGRAM_EXECUTABLE);
    MARGAY_NAME(CL_INVALID_KERNEL_NAME);
    MARGAY_NAME(CL_INVALID_KERNEL_DEFINITION);
    MARGAY_NAME(CL_INVALID_KERNEL);
    MARGAY_NAME(CL_INVALID_ARG_INDEX);
    MARGAY_NAME(CL_INVALID_ARG_VALUE);
    MARGAY_NAME(CL_INVALID_ARG_SIZE);
    MARGAY_NAME(CL_INVALID_KERNEL_ARGS);
    MARGAY_NAME(CL_INVALID_WORK_DIMENSION);
    MARGAY_NAME(CL_INVALID_WORK_GROUP_SIZE);
    MARGAY_NAME(CL_INVALID_WORK_ITEM_SIZE);
    MARGAY_NAME(CL_INVALID_GLOBAL_OFFSET);
    MARGAY_NAME(CL_INVALID_EVENT_WAIT_LIST);
    MARGAY_NAME(CL_INVALID_EVENT);
    MARGAY_NAME(CL_INVALID_OPERATION);
    MARGAY_NAME(CL_INVALID_BUFFER_SIZE);
    MARGAY_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    MARGAY_NAME(CL_INVALID_PROPERTY);
    MARGAY_NAME(CL_INVALID_COMPILER_OPTIONS);
    MARGAY_NAME(CL_INVALID_LINKER_OPTIONS);
#undef MARGAY_NAME
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
      return "OpenCL error " + std::to_string(code);
  }
}

std::string Sentence(const std::string& call, int code, const std::string& device,
                     const std::string& build_log) {
  std::string text = call + " failed with " + NameOfCode(code) + " on " + device;
  if (!build_log.empty()) {
    text += "; the compiler says:\n" + build_log;
  }
  return text;
}

}  // namespace

DeviceError::DeviceError(std::string call, int code, std::string device, std::string build_log)
    : std::runtime_error(Sentence(call, code, device, build_log)),
      call_(std::move(call)),
      code_(code),
      device_(std::move(device)),
      build_log_(std::move(build_log)) {}

std::string DeviceError::CodeName() const {
  return NameOfCode(code_);
}

bool DeviceError::IsOutOfMemory() const {
  return code_ == CL_MEM_OBJECT_ALLOCATION_FAILURE || code_ == CL_OUT_OF_RESOURCES ||
         code_ == CL_OUT_OF_HOST_MEMORY || code_ == CL_INVALID_BUFFER_SIZE;
}

bool DeviceError::IsDeviceLost() const {
  return IsDeviceLostCode(code_);
}

bool IsDeviceLostCode(int code) {
  // Contexts and queues are ours and valid, so a driver that calls one invalid has lost it.
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_CONTEXT ||
         code == CL_INVALID_COMMAND_QUEUE || code == kNvidiaIllegalAccess;
}

}  // namespace margay::device
