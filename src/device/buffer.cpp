#include "device/buffer.hpp"

#include <stdexcept>
#include <utility>

#include "device/buffer_pool.hpp"
#include "device/device_error.hpp"
#include "device/device_state.hpp"

namespace margay::device {

Buffer::Buffer(std::shared_ptr<DeviceState> state, _cl_mem* handle, size_t size)
    : state_(std::move(state)), handle_(handle), size_(size) {}

Buffer::Buffer(std::shared_ptr<DeviceState> state, _cl_mem* handle, size_t size,
               std::shared_ptr<BufferPool> pool, size_t allocated)
    : state_(std::move(state)),
      handle_(handle),
      size_(size),
      pool_(std::move(pool)),
      allocated_(allocated) {}

Buffer::~Buffer() {
  if (handle_ != nullptr && pool_ != nullptr) {
    pool_->Return({handle_, allocated_});
  } else if (handle_ != nullptr) {
    CallQuietly(state_->Api().ReleaseMemObject, handle_);
  }
}

Buffer::Buffer(Buffer&& other) noexcept
    : state_(std::move(other.state_)),
      handle_(std::exchange(other.handle_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      pool_(std::move(other.pool_)),
      allocated_(other.allocated_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(handle_, other.handle_);
  std::swap(size_, other.size_);
  std::swap(pool_, other.pool_);
  std::swap(allocated_, other.allocated_);
  return *this;
}

_cl_mem* Buffer::Detach() noexcept {
  return std::exchange(handle_, nullptr);
}

void Buffer::RequireOf(const DeviceState& state) const {
  if (state_.get() == &state) {
    return;
  }
  if (state_ == nullptr) {
    throw std::logic_error("an empty buffer was used on " + state.Name());
  }
  if (state_->IsLost()) {
    throw DeviceError("use of a buffer from before the loss", CL_DEVICE_NOT_AVAILABLE,
                      state_->Name());
  }
  throw std::logic_error("a buffer of " + state_->Name() + " was used on " + state.Name());
}

}  // namespace margay::device
