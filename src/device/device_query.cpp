#include "device/device_query.hpp"

#include <fstream>

#include "device/checked_call.hpp"
#include "device/device_error.hpp"

namespace margay::device {

namespace {

constexpr int kPlatformNotFound = -1001;

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) {
    text.pop_back();
  }
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

//! One platform, or one device of it.
class Query {
 public:
  Query(const OpenClApi& api, CallTarget& target) : api_(api), target_(target) {}

  std::string Text(cl_platform_id platform, cl_platform_info parameter) {
    size_t size = 0;
    target_.Call(api_.GetPlatformInfo, platform, parameter, 0, nullptr, &size);
    std::string text(size, '\0');
    target_.Call(api_.GetPlatformInfo, platform, parameter, size, text.data(), nullptr);
    return Trimmed(std::move(text));
  }

  std::string Text(cl_device_id device, cl_device_info parameter) {
    size_t size = 0;
    target_.Call(api_.GetDeviceInfo, device, parameter, 0, nullptr, &size);
    std::string text(size, '\0');
    target_.Call(api_.GetDeviceInfo, device, parameter, size, text.data(), nullptr);
    return Trimmed(std::move(text));
  }

  template <typename Value>
  Value Number(cl_device_id device, cl_device_info parameter) {
    Value value{};
    target_.Call(api_.GetDeviceInfo, device, parameter, sizeof(value), &value, nullptr);
    return value;
  }

 private:
  const OpenClApi& api_;
  CallTarget& target_;
};

bool HasExtension(const std::string& extensions, const std::string& extension) {
  return (" " + extensions + " ").find(" " + extension + " ") != std::string::npos;
}

DeviceKind KindOf(cl_device_type type) {
  const bool is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  const bool is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  if (is_cpu && is_gpu) {
    return DeviceKind::Other;  // Oclgrind claims to be everything.
  }
  if (is_cpu) {
    return DeviceKind::Cpu;
  }
  if (is_gpu) {
    return DeviceKind::Gpu;
  }
  return (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? DeviceKind::Accelerator : DeviceKind::Other;
}

//! The instruction sets of this machine's processor. Virtual machines with different ones report
//! the same processor name, and a home folder may be shared between them.
std::string ProcessorFeatures() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("flags") || line.starts_with("Features")) {
      return line;
    }
  }
  return {};
}

//! Why the device can't run our kernels; empty if it can.
std::string ProblemOf(const DeviceInfo& info, Query& query, cl_device_id id) {
  if (!query.Number<cl_bool>(id, CL_DEVICE_AVAILABLE)) {
    return "the driver says that the device is not available";
  }
  if (!query.Number<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE)) {
    return "its driver has no compiler for kernels";
  }
  if (info.version.starts_with("OpenCL 1.0") || info.version.starts_with("OpenCL 1.1")) {
    return "it supports " + info.version + " only, and OpenCL 1.2 is needed";
  }
  if (!query.Number<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE)) {
    return "it is big-endian";
  }
  if (!info.supports_double) {
    return "it has no double-precision floating point (cl_khr_fp64)";
  }
  if (!info.supports_int64_atomics) {
    return "it has no 64-bit atomic operations (cl_khr_int64_base_atomics and "
           "cl_khr_int64_extended_atomics)";
  }
  return {};
}

FoundDevice QueryDevice(const OpenClApi& api, Query& query, cl_platform_id platform,
                        cl_device_id id) {
  FoundDevice found;
  found.api = &api;
  found.id = id;
  DeviceInfo& info = found.info;
  info.platform = query.Text(platform, CL_PLATFORM_NAME);
  info.name = query.Text(id, CL_DEVICE_NAME);
  info.vendor = query.Text(id, CL_DEVICE_VENDOR);
  info.version = query.Text(id, CL_DEVICE_VERSION);
  info.driver_version = query.Text(id, CL_DRIVER_VERSION);
  info.is_simulator = info.platform.find("Oclgrind") != std::string::npos;
  info.kind = KindOf(query.Number<cl_device_type>(id, CL_DEVICE_TYPE));
  info.compute_units = query.Number<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.global_memory = query.Number<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.largest_buffer = query.Number<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.local_memory = query.Number<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
  info.largest_work_group =
      static_cast<uint32_t>(query.Number<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  info.unified_memory = query.Number<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  const std::string extensions = query.Text(id, CL_DEVICE_EXTENSIONS);
  info.supports_double = HasExtension(extensions, "cl_khr_fp64");
  info.supports_int64_atomics = HasExtension(extensions, "cl_khr_int64_base_atomics") &&
                                HasExtension(extensions, "cl_khr_int64_extended_atomics");
  info.problem = ProblemOf(info, query, id);

  const auto single_config = query.Number<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
  found.rounds_single_correctly = (single_config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  found.identity = "platform: " + info.platform +
                   "\nplatform version: " + query.Text(platform, CL_PLATFORM_VERSION) +
                   "\ndevice: " + info.name + "\ndevice version: " + info.version +
                   "\ndriver version: " + info.driver_version + "\n";
  if (info.kind == DeviceKind::Cpu) {
    found.identity += "processor " + ProcessorFeatures() + "\n";
  }
  return found;
}

std::vector<cl_platform_id> Platforms(const OpenClApi& api, CallTarget& target) {
  cl_uint count = 0;
  try {
    target.Call(api.GetPlatformIDs, 0, nullptr, &count);
  } catch (const DeviceError& error) {
    if (error.Code() == kPlatformNotFound) {
      return {};
    }
    throw;
  }
  std::vector<cl_platform_id> platforms(count);
  if (count != 0) {
    target.Call(api.GetPlatformIDs, count, platforms.data(), nullptr);
  }
  return platforms;
}

std::vector<cl_device_id> DevicesOf(const OpenClApi& api, CallTarget& target,
                                    cl_platform_id platform) {
  cl_uint count = 0;
  try {
    target.Call(api.GetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  } catch (const DeviceError& error) {
    if (error.Code() == CL_DEVICE_NOT_FOUND) {
      return {};
    }
    throw;
  }
  std::vector<cl_device_id> devices(count);
  if (count != 0) {
    target.Call(api.GetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  }
  return devices;
}

void AddSentence(std::string* text, const std::string& sentence) {
  *text += (text->empty() ? "" : "; ") + sentence;
}

}  // namespace

std::vector<FoundDevice> QueryDevices(const OpenClApi& api, std::string* problem) {
  std::vector<FoundDevice> found;
  CallTarget loader_target("the OpenCL loader", false);
  try {
    for (cl_platform_id platform : Platforms(api, loader_target)) {
      try {
        Query platform_query(api, loader_target);
        CallTarget target(platform_query.Text(platform, CL_PLATFORM_NAME), false);
        Query query(api, target);
        for (cl_device_id device : DevicesOf(api, target, platform)) {
          found.push_back(QueryDevice(api, query, platform, device));
        }
      } catch (const DeviceError& error) {
        AddSentence(problem, error.what());
      }
    }
  } catch (const DeviceError& error) {
    AddSentence(problem, error.what());
  }
  return found;
}

}  // namespace margay::device
