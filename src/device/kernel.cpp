#include "device/kernel.hpp"

#include <stdexcept>
#include <utility>

#include "device/device_error.hpp"
#include "device/device_state.hpp"

namespace margay::device {

Kernel::Kernel(std::shared_ptr<DeviceState> state, _cl_program* program, const std::string& name)
    : state_(std::move(state)),
      handle_(state_->Create(state_->Api().CreateKernel, program, name.c_str())),
      name_(name) {}

Kernel::~Kernel() {
  if (handle_ != nullptr) {
    CallQuietly(state_->Api().ReleaseKernel, handle_);
  }
}

Kernel::Kernel(Kernel&& other) noexcept
    : state_(std::move(other.state_)),
      handle_(std::exchange(other.handle_, nullptr)),
      name_(std::move(other.name_)) {}

Kernel& Kernel::operator=(Kernel&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(handle_, other.handle_);
  std::swap(name_, other.name_);
  return *this;
}

Kernel& Kernel::Argument(uint32_t index, const Buffer& buffer) {
  buffer.RequireOf(*state_);
  const cl_mem handle = buffer.Handle();
  return SetArgument(index, sizeof(handle), &handle);
}

Kernel& Kernel::Argument(uint32_t index, int32_t value) {
  return SetArgument(index, sizeof(value), &value);
}

Kernel& Kernel::Argument(uint32_t index, uint32_t value) {
  return SetArgument(index, sizeof(value), &value);
}

Kernel& Kernel::Argument(uint32_t index, int64_t value) {
  return SetArgument(index, sizeof(value), &value);
}

Kernel& Kernel::Argument(uint32_t index, uint64_t value) {
  return SetArgument(index, sizeof(value), &value);
}

Kernel& Kernel::LocalArgument(uint32_t index, size_t bytes) {
  return SetArgument(index, bytes, nullptr);
}

Kernel& Kernel::SetArgument(uint32_t index, size_t bytes, const void* value) {
  state_->Call(state_->Api().SetKernelArg, handle_, index, bytes, value);
  return *this;
}

uint32_t Kernel::ArgumentCount() const {
  cl_uint count = 0;
  state_->Call(state_->Api().GetKernelInfo, handle_, CL_KERNEL_NUM_ARGS, sizeof(count), &count,
               nullptr);
  return count;
}

size_t Kernel::PreferredWorkGroupMultiple() const {
  return WorkGroupInfo(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
}

size_t Kernel::LargestWorkGroup() const {
  return WorkGroupInfo(CL_KERNEL_WORK_GROUP_SIZE);
}

size_t Kernel::WorkGroupInfo(uint32_t parameter) const {
  size_t value = 0;
  state_->Call(state_->Api().GetKernelWorkGroupInfo, handle_, state_->Id(), parameter,
               sizeof(value), &value, nullptr);
  return value;
}

void Kernel::RequireOf(const DeviceState& state) const {
  if (state_.get() == &state) {
    return;
  }
  if (state_->IsLost()) {
    throw DeviceError("use of a kernel from before the loss", CL_DEVICE_NOT_AVAILABLE,
                      state_->Name());
  }
  throw std::logic_error("kernel " + name_ + " of " + state_->Name() + " was launched on " +
                         state.Name());
}

}  // namespace margay::device
