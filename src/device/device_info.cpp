#include "device/device_info.hpp"

namespace margay::device {

std::string_view KindName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Cpu:
      return "cpu";
    case DeviceKind::Gpu:
      return "gpu";
    case DeviceKind::Accelerator:
      return "accelerator";
    case DeviceKind::Other:
      break;
  }
  return "other";
}

}  // namespace margay::device
