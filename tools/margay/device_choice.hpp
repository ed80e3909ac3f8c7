#pragma once

#include <ostream>
#include <string>

#include "device/device_info.hpp"

namespace margay::tool {

//! The device that a selector of margay_device names ("" is "auto"). Throws CommandError where
//! there is none: Usage where it is a name or an index that no usable device of the machine has,
//! NoDevice where there is no usable device, or none of the kind.
const device::DeviceInfo& RequireDevice(const std::string& selector);

//! A table of all devices, usable or not, and what to install where none is.
void PrintDevices(std::ostream& output);

}  // namespace margay::tool
