#include "integration/device_pools.hpp"

#include <atomic>
#include <limits>

#include "device/device_registry.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/storage/buffer_manager.hpp"
#include "integration/image/block_allocator.hpp"

namespace margay::integration {
namespace {

std::atomic<bool> is_loaded{false};

//! Leaves room for the driver, other programs and kernels' own needs.
constexpr double kShareOfDeviceMemory = 0.8;

uint64_t MemoryLimit(const Settings& settings, const device::Device& device) {
  if (settings.device_memory) {
    return *settings.device_memory;
  }
  if (device.IsZeroCopy()) {
    // DuckDB's memory_limit rules.
    return std::numeric_limits<uint64_t>::max();
  }
  return static_cast<uint64_t>(static_cast<double>(device.Info().global_memory) *
                               kShareOfDeviceMemory);
}

}  // namespace

optimize::Shape ShapeFor(const Settings& settings, const device::Device& device) {
  if (settings.shape) {
    return *settings.shape;
  }
  return device.Info().kind == device::DeviceKind::Cpu ? optimize::Shape::Loop
                                                       : optimize::Shape::Lanes;
}

void DevicePools::Load() {
  device::DeviceRegistry::Instance().Devices();
  is_loaded = true;
}

std::shared_ptr<const OpenDevice> DevicePools::Open(const Settings& settings,
                                                    std::string& problem) {
  Load();
  auto& registry = device::DeviceRegistry::Instance();
  auto index = registry.Find(settings.device, &problem);
  if (!index) {
    std::string general = registry.Problem();
    if (!general.empty()) {
      problem = general;
    }
    return nullptr;
  }
  auto device = registry.Open(*index);
  std::lock_guard<std::mutex> guard(mutex_);
  auto& open = devices_[*index];
  if (!open || open->device != device) {
    auto allocator =
        std::make_shared<BlockAllocator>(duckdb::BufferManager::GetBufferManager(database_));
    auto pool = std::make_shared<memory::ExtentPool>(device, std::move(allocator));
    open = std::make_shared<OpenDevice>(
        OpenDevice{{device, std::move(pool), std::make_shared<compile::KernelLibrary>()}});
  }
  SetLimit(*open, settings);
  return open;
}

std::shared_ptr<const OpenDevice> DevicePools::FindOpen(const Settings& settings) {
  if (!is_loaded) {
    return nullptr;
  }
  auto index = device::DeviceRegistry::Instance().Find(settings.device, nullptr);
  std::lock_guard<std::mutex> guard(mutex_);
  auto found = index ? devices_.find(*index) : devices_.end();
  if (found == devices_.end() || found->second->device->IsLost()) {
    return nullptr;
  }
  SetLimit(*found->second, settings);
  return found->second;
}

void DevicePools::SetLimit(const OpenDevice& open, const Settings& settings) {
  uint64_t limit = MemoryLimit(settings, *open.device);
  if (open.pool->Limit() != limit) {
    open.pool->SetLimit(limit);
  }
}

void DevicePools::Drop(const device::Device& device) {
  std::lock_guard<std::mutex> guard(mutex_);
  std::erase_if(devices_, [&](const auto& item) { return item.second->device.get() == &device; });
}

std::vector<std::shared_ptr<const OpenDevice>> DevicePools::List() const {
  std::lock_guard<std::mutex> guard(mutex_);
  std::vector<std::shared_ptr<const OpenDevice>> devices;
  for (const auto& [index, open] : devices_) {
    devices.push_back(open);
  }
  return devices;
}

}  // namespace margay::integration
