#include "device/pinned_memory.hpp"

#include <algorithm>
#include <utility>

#include "device/buffer.hpp"
#include "device/device_state.hpp"

namespace margay::device {

PinnedMemory::PinnedMemory(std::shared_ptr<DeviceState> state, size_t bytes)
    : state_(std::move(state)), size_(bytes) {
  const size_t allocated = std::max<size_t>(bytes, 1);
  Buffer buffer(state_,
                state_->Create(state_->Api().CreateBuffer, state_->Context(),
                               CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, allocated, nullptr),
                allocated);
  const cl_command_queue queue = state_->TakeQueue();
  try {
    data_ = state_->Create(state_->Api().EnqueueMapBuffer, queue, buffer.Handle(), CL_TRUE,
                           CL_MAP_READ | CL_MAP_WRITE, 0, allocated, 0, nullptr, nullptr);
  } catch (...) {
    state_->ReturnQueue(queue);
    throw;
  }
  state_->ReturnQueue(queue);
  handle_ = buffer.Detach();
}

PinnedMemory::~PinnedMemory() {
  if (handle_ == nullptr) {
    return;
  }
  // PoCL keeps a buffer alive as long as it is mapped.
  const OpenClApi& api = state_->Api();
  if (const cl_command_queue queue = state_->TakeQueueQuietly()) {
    CallQuietly(api.EnqueueUnmapMemObject, queue, handle_, data_, 0u, nullptr, nullptr);
    CallQuietly(api.Finish, queue);
    state_->ReturnQueue(queue);
  }
  CallQuietly(api.ReleaseMemObject, handle_);
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : state_(std::move(other.state_)),
      handle_(std::exchange(other.handle_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(handle_, other.handle_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace margay::device
