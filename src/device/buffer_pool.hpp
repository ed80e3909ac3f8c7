#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

struct _cl_mem;

// Private to src/device.

namespace margay::device {

class DeviceState;

//! Device memory that buffers have let go of, for those that are made next: a driver takes from
//! 0.01 ms for a small buffer to milliseconds for a large one to allocate and to free it, and a
//! query makes dozens. Memory comes out of the pool only after all commands that may use it are
//! done, in whichever queue. Thread-safe.
class BufferPool {
 public:
  //! Idle memory beyond `most_idle_bytes` goes back to the device, the oldest first.
  BufferPool(std::shared_ptr<DeviceState> state, size_t most_idle_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  struct Memory {
    _cl_mem* handle = nullptr;
    size_t bytes = 0;
  };

  //! What to allocate for a buffer of `bytes`, so that others can use it afterwards.
  static size_t RoundUp(size_t bytes);
  //! Idle memory of at least `bytes` and little more, of any content; without a handle if there is
  //! none.
  Memory Take(size_t bytes);
  //! Takes ownership. Commands that use the memory may be under way.
  void Return(Memory memory) noexcept;
  //! Gives all idle memory back to the device.
  void Clear() noexcept;

  size_t IdleBytes() const;

 private:
  struct Idle {
    Memory memory;
    uint64_t since;  //!< by the device's CommandClock
  };

  void Release(const std::list<Idle>& memories) noexcept;

  const std::shared_ptr<DeviceState> state_;
  const size_t most_idle_bytes_;
  mutable std::mutex mutex_;
  std::list<Idle> idle_;  //!< in the order in which they came back
  size_t idle_bytes_ = 0;
};

}  // namespace margay::device
