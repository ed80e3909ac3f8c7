#pragma once

#include <memory>
#include <vector>

#include "execute/part.hpp"
#include "unit/usable_devices.hpp"

namespace margay::execute {

//! Where a part may run.
struct Target {
  std::shared_ptr<device::Device> device;
  optimize::Shape shape;
};

//! Every usable device in both shapes.
inline std::vector<Target> Targets() {
  std::vector<Target> targets;
  for (const auto& device : UsableDevices()) {
    for (optimize::Shape shape : {optimize::Shape::Loop, optimize::Shape::Lanes})
      targets.push_back({device, shape});
  }
  return targets;
}

//! A device with memory, and with the kernels of all tests.
inline Place PlaceOn(std::shared_ptr<device::Device> device,
                     std::shared_ptr<memory::ExtentPool> pool) {
  static const auto kernels = std::make_shared<compile::KernelLibrary>();
  return {std::move(device), std::move(pool), kernels};
}

}  // namespace margay::execute
