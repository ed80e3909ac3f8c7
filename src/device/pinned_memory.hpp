#pragma once

#include <cstddef>
#include <memory>

struct _cl_mem;

namespace margay::device {

class DeviceState;

//! Host memory, page-locked by the driver and aligned to at least 64 bytes. Asynchronous transfers
//! from and to it run at bus speed and need no staging copy; they must be done before it is
//! destroyed. Page-locked memory is scarce: allocate few, large pieces and reuse them. Move-only;
//! the bytes may be accessed by any thread.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  //! Allocates and maps `bytes` (at least 1) on the device of `state`. For this layer only.
  PinnedMemory(std::shared_ptr<DeviceState> state, size_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  void* Data() const { return data_; }
  size_t Size() const { return size_; }

 private:
  std::shared_ptr<DeviceState> state_;
  _cl_mem* handle_ = nullptr;
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace margay::device
