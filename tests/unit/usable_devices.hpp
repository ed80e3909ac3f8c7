#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device_registry.hpp"

namespace margay {

//! The devices that unit tests run on: all that are usable, but Oclgrind's, which takes too long.
inline std::vector<std::shared_ptr<device::Device>> UsableDevices() {
  std::vector<std::shared_ptr<device::Device>> devices;
  auto& registry = device::DeviceRegistry::Instance();
  for (const device::DeviceInfo& info : registry.Devices()) {
    if (info.IsUsable() && info.platform.find("Oclgrind") == std::string::npos)
      devices.push_back(registry.Open(info.index));
  }
  return devices;
}

}  // namespace margay
