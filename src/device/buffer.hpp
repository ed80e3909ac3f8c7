#pragma once

#include <cstddef>
#include <memory>

struct _cl_mem;

namespace margay::device {

class BufferPool;
class DeviceState;

//! What kernels do with a buffer. The host may read and write any buffer.
enum class Access { ReadOnly, WriteOnly, ReadWrite };

//! Memory of one device, let go of with the object once the commands using it are done. Move-only;
//! a default-constructed or moved-from buffer is empty and only good for assignment. Different
//! threads may use one buffer in different queues if they order their accesses themselves.
class Buffer {
 public:
  Buffer() = default;
  //! Takes ownership of `handle`. For this layer only.
  Buffer(std::shared_ptr<DeviceState> state, _cl_mem* handle, size_t size);
  //! The same with memory of `allocated` bytes, which `pool` gets afterwards.
  Buffer(std::shared_ptr<DeviceState> state, _cl_mem* handle, size_t size,
         std::shared_ptr<BufferPool> pool, size_t allocated);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  //! Bytes, as asked for.
  size_t Size() const { return size_; }
  bool IsEmpty() const { return handle_ == nullptr; }

  //! For this layer only, like all below: the OpenCL object.
  _cl_mem* Handle() const { return handle_; }
  //! Gives up the OpenCL object.
  _cl_mem* Detach() noexcept;
  //! Throws unless the buffer lives in the context of `state`: DeviceError where its own context is
  //! lost (the device was opened anew since), std::logic_error otherwise. Drivers would answer with
  //! an error that looks like the loss of the good context.
  void RequireOf(const DeviceState& state) const;

 private:
  std::shared_ptr<DeviceState> state_;
  _cl_mem* handle_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<BufferPool> pool_;  //!< null: the memory goes back to the device
  size_t allocated_ = 0;              //!< of the pool's memory
};

}  // namespace margay::device
