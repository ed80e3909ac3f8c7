#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "device/device_registry.hpp"
#include "memory/extent_pool.hpp"

namespace margay::memory {

//! The device that tests run on: the one that MARGAY_TEST_DEVICE selects, else the CPU; nullptr
//! where there is none.
inline std::shared_ptr<device::Device> OpenTestDevice() {
  device::DeviceRegistry& registry = device::DeviceRegistry::Instance();
  const char* selector = std::getenv("MARGAY_TEST_DEVICE");
  std::optional<size_t> index = registry.Find(selector == nullptr ? "cpu" : selector, nullptr);
  return index.has_value() ? registry.Open(*index) : nullptr;
}

//! What the device sees.
inline std::vector<std::byte> ReadBack(device::Device& device, const ExtentPin& pin) {
  std::vector<std::byte> content(pin.PinnedExtent()->Bytes());
  device.AcquireQueue()->Read(pin.Buffer(), 0, content.data(), content.size());
  return content;
}

//! Fills with bytes that depend on their place and on `seed`.
inline ExtentPool::Fill Pattern(size_t seed) {
  return [seed](std::byte* destination, size_t offset, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
      size_t place = offset + i;
      destination[i] = static_cast<std::byte>((place ^ (place >> 8) ^ (place >> 20)) + seed);
    }
  };
}

inline std::vector<std::byte> PatternBytes(size_t seed, size_t bytes) {
  std::vector<std::byte> content(bytes);
  Pattern(seed)(content.data(), 0, bytes);
  return content;
}

}  // namespace margay::memory
