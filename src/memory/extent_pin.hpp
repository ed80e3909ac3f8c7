#pragma once

#include <cstddef>
#include <memory>

#include "device/buffer.hpp"

namespace margay::memory {

class Extent;

//! Keeps the content of one extent in place. Move-only. A moved-from pin is empty and only good for
//! assignment. Must outlive the device commands that use the buffer. Not thread-safe itself;
//! different pins of one extent may be used by different threads.
class ExtentPin {
 public:
  //! For Extent: takes over one pin that has already been counted.
  explicit ExtentPin(std::shared_ptr<Extent> extent);
  ~ExtentPin();
  ExtentPin(ExtentPin&& other) noexcept = default;
  ExtentPin& operator=(ExtentPin&& other) noexcept;
  ExtentPin(const ExtentPin&) = delete;
  ExtentPin& operator=(const ExtentPin&) = delete;

  const device::Buffer& Buffer() const;

  //! The content where the host can read it (on a zero-copy device), else nullptr.
  const std::byte* HostAddress() const;

  const std::shared_ptr<Extent>& PinnedExtent() const { return extent_; }

 private:
  std::shared_ptr<Extent> extent_;
};

}  // namespace margay::memory
