#include "device/device_registry.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "device/device_error.hpp"
#include "device/device_query.hpp"
#include "device/device_state.hpp"
#include "device/intel_runtime.hpp"
#include "device/opencl_api.hpp"
#include "device/process_exit.hpp"

namespace margay::device {

//! A listed device and, once somebody asked for it, the open one.
struct RegisteredDevice {
  explicit RegisteredDevice(FoundDevice device) : found(std::move(device)) {}

  const FoundDevice found;
  //! Held while opening, which takes up to a second, so that other devices stay available.
  std::mutex mutex;
  std::shared_ptr<Device> open;
};

namespace {

constexpr std::string_view kInstallAdvice =
    "install the packages intel-opencl-rt and intel-cmplr-lib-rt (PyPI), or pocl-opencl-icd "
    "(Debian, Ubuntu), or your GPU's driver";

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(),
                 [](unsigned char character) { return std::tolower(character); });
  return lowered;
}

bool Contains(std::string_view text, std::string_view part) {
  return Lowered(text).find(Lowered(part)) != std::string::npos;
}

bool IsIntelCpu(const DeviceInfo& info) {
  return info.kind == DeviceKind::Cpu && Contains(info.platform, "intel");
}

//! Lower is better, where several devices match.
int Preference(const DeviceInfo& info) {
  if (info.is_simulator) {
    return 5;
  }
  if (info.kind == DeviceKind::Gpu) {
    return 0;
  }
  if (IsIntelCpu(info)) {
    return 1;
  }
  if (Contains(info.platform, "portable computing language")) {
    return 2;
  }
  return info.kind == DeviceKind::Cpu ? 3 : 4;
}

//! `selector` is in lower case.
bool Matches(const DeviceInfo& info, const std::string& selector) {
  if (selector == "auto") {
    return !info.is_simulator;
  }
  size_t index = 0;
  const char* end = selector.data() + selector.size();
  if (const auto parsed = std::from_chars(selector.data(), end, index);
      parsed.ec == std::errc() && parsed.ptr == end) {
    return info.index == index;
  }
  for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Gpu, DeviceKind::Accelerator}) {
    if (selector == KindName(kind)) {
      return info.kind == kind;
    }
  }
  return !selector.empty() && (Contains(info.name, selector) || Contains(info.platform, selector));
}

std::string Listed(const std::vector<DeviceInfo>& infos) {
  std::string text;
  for (const DeviceInfo& info : infos) {
    text += (text.empty() ? "" : ", ") + std::to_string(info.index) + " = " + info.name + " (" +
            std::string(KindName(info.kind)) + ", " + info.platform + ")";
    if (!info.IsUsable()) {
      text += ", unusable because " + info.problem;
    }
  }
  return text;
}

//! The loader of the system; else the one that Intel's package brings, so that a GPU's driver is
//! found where no loader is installed.
const OpenClApi* LoadIcdLoader(const std::vector<std::filesystem::path>& intel_folders,
                               std::string* problem) {
  if (const OpenClApi* api = OpenClApi::Load("libOpenCL.so.1", problem)) {
    return api;
  }
  for (const std::filesystem::path& folder : intel_folders) {
    std::string ignored;
    if (const OpenClApi* api = OpenClApi::Load(folder / "libOpenCL.so.1", &ignored)) {
      return api;
    }
  }
  return nullptr;
}

}  // namespace

DeviceRegistry::DeviceRegistry() = default;
DeviceRegistry::~DeviceRegistry() = default;

DeviceRegistry& DeviceRegistry::Instance() {
  static DeviceRegistry* const instance = new DeviceRegistry();
  return *instance;
}

const std::vector<DeviceInfo>& DeviceRegistry::Devices() {
  EnumerateOnce();
  return infos_;
}

std::string DeviceRegistry::Problem() {
  EnumerateOnce();
  if (std::any_of(infos_.begin(), infos_.end(),
                  [](const DeviceInfo& info) { return info.IsUsable(); })) {
    return {};
  }
  std::string problem = infos_.empty() ? std::string("no OpenCL device was found")
                                       : "no OpenCL device is usable: " + Listed(infos_);
  if (!load_problem_.empty()) {
    problem += " (" + load_problem_ + ")";
  }
  return problem + "; " + std::string(kInstallAdvice);
}

std::string DeviceRegistry::BrokenRuntime() {
  EnumerateOnce();
  return broken_runtime_;
}

std::optional<size_t> DeviceRegistry::Find(std::string_view selector, std::string* problem) {
  EnumerateOnce();
  const std::string lowered = Lowered(selector);
  const DeviceInfo* best = nullptr;
  const DeviceInfo* unusable = nullptr;
  for (const DeviceInfo& info : infos_) {
    if (!Matches(info, lowered)) {
      continue;
    }
    if (!info.IsUsable()) {
      unusable = unusable != nullptr ? unusable : &info;
    } else if (best == nullptr || Preference(info) < Preference(*best)) {
      best = &info;
    }
  }
  if (best != nullptr) {
    return best->index;
  }
  if (problem != nullptr) {
    if (const std::string none = Problem(); !none.empty()) {
      *problem = none;
    } else if (unusable != nullptr) {
      *problem = "device " + unusable->name + " is unusable because " + unusable->problem +
                 "; devices: " + Listed(infos_);
    } else {
      *problem = "no device matches '" + std::string(selector) + "'; devices: " + Listed(infos_);
      if (!broken_runtime_.empty()) {
        *problem += ". " + broken_runtime_;
      }
    }
  }
  return std::nullopt;
}

std::shared_ptr<Device> DeviceRegistry::Open(size_t index) {
  EnumerateOnce();
  RegisteredDevice& registered = *devices_.at(index);
  const DeviceInfo& info = infos_[index];
  if (!info.IsUsable()) {
    throw DeviceError("opening the device (" + info.problem + ")", CL_INVALID_DEVICE, info.name);
  }
  const std::lock_guard lock(registered.mutex);
  if (registered.open == nullptr || registered.open->IsLost()) {
    registered.open.reset();
    registered.open = std::make_shared<Device>(std::make_shared<DeviceState>(registered.found));
  }
  return registered.open;
}

void DeviceRegistry::AddSearchPath(std::string folder) {
  const std::lock_guard lock(mutex_);
  search_paths_.push_back(std::move(folder));
}

void DeviceRegistry::EnumerateOnce() {
  std::call_once(enumerated_, [this] {
    std::vector<std::string> search_paths;
    {
      const std::lock_guard lock(mutex_);
      search_paths = search_paths_;
    }
    const std::vector<std::filesystem::path> folders = IntelRuntimeFolders(search_paths);
    std::string loader_problem;
    std::string query_problem;
    std::vector<FoundDevice> found;
    if (const OpenClApi* loader = LoadIcdLoader(folders, &loader_problem)) {
      found = QueryDevices(*loader, &query_problem);
    }
    // Opened only where the loader does not list it, lest one runtime be loaded twice.
    const bool has_intel_cpu = std::any_of(
        found.begin(), found.end(), [](const FoundDevice& one) { return IsIntelCpu(one.info); });
    std::string intel_problem;
    if (!has_intel_cpu) {
      if (const OpenClApi* intel = LoadIntelRuntime(folders, &intel_problem)) {
        std::vector<FoundDevice> intel_devices = QueryDevices(*intel, &query_problem);
        std::move(intel_devices.begin(), intel_devices.end(), std::back_inserter(found));
      }
    }
    for (FoundDevice& one : found) {
      one.info.index = infos_.size();
      infos_.push_back(one.info);
      devices_.push_back(std::make_unique<RegisteredDevice>(std::move(one)));
    }
    ProcessExit::HandleAfter(ProcessExit::Stage::Load);
    broken_runtime_ = intel_problem;
    for (const std::string& problem : {loader_problem, intel_problem, query_problem}) {
      if (!problem.empty()) {
        load_problem_ += (load_problem_.empty() ? "" : "; ") + problem;
      }
    }
  });
}

}  // namespace margay::device
