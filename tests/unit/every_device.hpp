#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "memory/extent_pool.hpp"
#include "memory/heap_allocator.hpp"
#include "unit/usable_devices.hpp"

namespace margay {

//! Calls check(device, pool) for every usable device.
template <typename Check>
void OnEveryDevice(const Check& check) {
  for (const auto& device : UsableDevices()) {
    const device::DeviceInfo& info = device->Info();
    SCOPED_TRACE(info.name + " on " + info.platform);
    memory::ExtentPool pool(device, std::make_shared<memory::HeapAllocator>());
    check(*device, pool);
  }
}

}  // namespace margay
