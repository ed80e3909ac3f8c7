#pragma once

#include <memory>
#include <vector>

#include "compile/shape.hpp"
#include "unit/usable_devices.hpp"

namespace margay::execute {

//! Where a part may run.
struct Target {
  std::shared_ptr<device::Device> device;
  compile::Shape shape;
};

//! Every usable device in both shapes.
inline std::vector<Target> Targets() {
  std::vector<Target> targets;
  for (const auto& device : UsableDevices()) {
    for (compile::Shape shape : {compile::Shape::Loop, compile::Shape::Lanes})
      targets.push_back({device, shape});
  }
  return targets;
}

}  // namespace margay::execute
