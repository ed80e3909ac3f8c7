#include "memory/extent_pin.hpp"

#include <utility>

#include "memory/extent.hpp"
#include "memory/extent_ledger.hpp"

namespace margay::memory {

ExtentPin::ExtentPin(std::shared_ptr<Extent> extent) : extent_(std::move(extent)) {}

ExtentPin::~ExtentPin() {
  if (extent_ != nullptr) {
    extent_->ledger_->Unpin(*extent_);
  }
}

ExtentPin& ExtentPin::operator=(ExtentPin&& other) noexcept {
  if (this != &other) {
    ExtentPin old(std::exchange(extent_, std::move(other.extent_)));
  }
  return *this;
}

// While a pin lives nobody changes these members, so they are read without the mutex.

const device::Buffer& ExtentPin::Buffer() const {
  return extent_->buffer_;
}

const std::byte* ExtentPin::HostAddress() const {
  return extent_->host_address_;
}

}  // namespace margay::memory
