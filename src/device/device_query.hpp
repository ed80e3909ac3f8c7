#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device_info.hpp"
#include "device/opencl_api.hpp"

// Private to src/device: asks OpenCL what there is.

namespace margay::device {

//! A device as found, with all that is needed to open it.
struct FoundDevice {
  const OpenClApi* api = nullptr;
  cl_device_id id = nullptr;
  DeviceInfo info;
  //! Text that differs whenever a binary built for this device may not fit: platform, driver and,
  //! for CPUs, the processor's instruction sets.
  std::string identity;
  //! Single-precision division and square root can be correctly rounded.
  bool rounds_single_correctly = false;
};

//! The devices of all platforms of one library. Platforms and devices that fail to answer are left
//! out, and each adds a sentence to `problem`.
std::vector<FoundDevice> QueryDevices(const OpenClApi& api, std::string* problem);

}  // namespace margay::device
