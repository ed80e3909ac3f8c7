#include "integration/operator/device_failure.hpp"

#include <new>

#include "device/device_error.hpp"
#include "duckdb/common/exception.hpp"
#include "execute/part.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::integration {

std::optional<DeviceFailure> DeviceFailure::Of(const std::exception& error) {
  if (dynamic_cast<const execute::ImageLost*>(&error) != nullptr) {
    return DeviceFailure(Cause::ImageLost, error.what());
  }
  if (dynamic_cast<const memory::LimitReached*>(&error) != nullptr) {
    return DeviceFailure(Cause::LimitReached, error.what());
  }
  if (dynamic_cast<const memory::OutOfMemory*>(&error) != nullptr) {
    return DeviceFailure(Cause::OutOfMemory, error.what());
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return DeviceFailure(Cause::HostMemory, "there is no memory for the part's tables");
  }
  if (dynamic_cast<const device::DeviceError*>(&error) != nullptr) {
    return DeviceFailure(Cause::Device, error.what());
  }
  return std::nullopt;
}

schedule::Failure DeviceFailure::Kind() const {
  switch (cause_) {
    case Cause::ImageLost:
      return schedule::Failure::ImageLost;
    case Cause::LimitReached:
    case Cause::OutOfMemory:
      return schedule::Failure::OutOfMemory;
    default:
      return schedule::Failure::Other;
  }
}

void DeviceFailure::Throw(bool has_limit) const {
  if (cause_ == Cause::HostMemory) {
    throw std::bad_alloc();
  }
  if (cause_ == Cause::Device) {
    throw duckdb::IOException("%s%s", kForcePrefix, reason_);
  }
  if (cause_ == Cause::LimitReached || (cause_ == Cause::ImageLost && has_limit)) {
    // Not an OutOfMemoryException: that adds advice about memory_limit, which would not help.
    throw duckdb::Exception(
        duckdb::ExceptionType::OUT_OF_MEMORY,
        std::string(kForcePrefix) + reason_ + "; raise the setting margay_device_memory");
  }
  throw duckdb::OutOfMemoryException("%s%s", kForcePrefix, reason_);
}

}  // namespace margay::integration
