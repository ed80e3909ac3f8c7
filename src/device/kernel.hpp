#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "device/buffer.hpp"

struct _cl_kernel;
struct _cl_program;

namespace margay::device {

class DeviceState;

//! One kernel with its arguments. Cheap to create: make one per execution. Move-only, not
//! thread-safe. All calls throw DeviceError.
class Kernel {
 public:
  //! For this layer only; others call Program::CreateKernel().
  Kernel(std::shared_ptr<DeviceState> state, _cl_program* program, const std::string& name);
  ~Kernel();
  Kernel(Kernel&& other) noexcept;
  Kernel& operator=(Kernel&& other) noexcept;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  //! Sets an argument. A buffer must live until the commands that use it are done.
  Kernel& Argument(uint32_t index, const Buffer& buffer);
  //! Sets a scalar argument; its width must be that of the kernel's parameter.
  Kernel& Argument(uint32_t index, int32_t value);
  Kernel& Argument(uint32_t index, uint32_t value);
  Kernel& Argument(uint32_t index, int64_t value);
  Kernel& Argument(uint32_t index, uint64_t value);
  //! Gives a `__local` pointer argument its size.
  Kernel& LocalArgument(uint32_t index, size_t bytes);

  const std::string& Name() const { return name_; }
  uint32_t ArgumentCount() const;
  //! Work-group sizes should be multiples of this.
  size_t PreferredWorkGroupMultiple() const;
  //! The largest work-group this kernel can run with on the device.
  size_t LargestWorkGroup() const;

  //! For this layer only, like all below: the OpenCL object.
  _cl_kernel* Handle() const { return handle_; }
  //! Throws unless the kernel lives in the context of `state`, like Buffer::RequireOf().
  void RequireOf(const DeviceState& state) const;

 private:
  Kernel& SetArgument(uint32_t index, size_t bytes, const void* value);
  size_t WorkGroupInfo(uint32_t parameter) const;

  std::shared_ptr<DeviceState> state_;
  _cl_kernel* handle_ = nullptr;
  std::string name_;
};

}  // namespace margay::device
