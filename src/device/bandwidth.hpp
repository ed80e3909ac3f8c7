#pragma once

#include "device/device.hpp"

namespace margay::device {

//! Bytes per second at which the device reads its memory: the best of several runs of a read-only
//! scan, with wide loads, over a buffer several times the last-level cache. Takes up to a second
//! and the memory of that buffer (512 MiB on a CPU; on others 4 GiB or a quarter of the memory,
//! whichever is smaller). Throws DeviceError.
double MeasureReadBandwidth(Device& device);

}  // namespace margay::device
