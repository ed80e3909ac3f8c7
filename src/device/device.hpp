#pragma once

#include <cstddef>
#include <memory>

#include "device/buffer.hpp"
#include "device/device_info.hpp"
#include "device/pinned_memory.hpp"
#include "device/program_cache.hpp"
#include "device/queue_lease.hpp"

namespace margay::device {

class BufferPool;
class DeviceState;
class HugePages;
class PagePool;
class StagingRing;

//! An open device: one context, its queues and its programs. Obtained from DeviceRegistry::Open().
//! Buffers, queues, programs and kernels made here keep the context alive by themselves, so they
//! may outlive this object.
//!
//! Thread-safe. Calls throw DeviceError; on a lost device all of them do.
class Device : public std::enable_shared_from_this<Device> {
 public:
  //! Which devices keep the memory of buffers for the next ones.
  enum class Reuse {
    Automatic,  //!< those with memory of their own
    Always,     //!< for tests
  };

  explicit Device(std::shared_ptr<DeviceState> state, Reuse reuse = Reuse::Automatic);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& Info() const;

  //! A buffer of `bytes` with undefined content; `access` is what kernels do with it. A size of 0
  //! is allowed. Throws DeviceError with IsOutOfMemory() where there is no room.
  Buffer CreateBuffer(size_t bytes, Access access);

  //! The same with every byte 0.
  Buffer CreateZeroedBuffer(size_t bytes, Access access);
  //! The same for the commands of `queue` that follow.
  Buffer CreateZeroedBuffer(size_t bytes, Access access, Queue& queue);

  //! A buffer over the caller's memory without a copy. Only where IsZeroCopy(). `memory` is aligned
  //! to 64 bytes and outlives both the buffer and the commands that use it (the destruction of a
  //! QueueLease waits for its commands). While kernels use it, the host may not touch it; before
  //! the host reads what kernels wrote, it waits for them and maps or reads the buffer.
  Buffer WrapHostMemory(void* memory, size_t bytes);

  //! Page-locked host memory, from which transfers run at the full speed of the bus.
  PinnedMemory CreatePinnedMemory(size_t bytes);

  //! Gives memory back to the device that is kept for the next buffers.
  void ReleaseIdleMemory();

  //! True on CPU devices that share the host's memory.
  bool IsZeroCopy() const;

  //! A queue for the caller alone, from a pool that grows as needed.
  QueueLease AcquireQueue();

  ProgramCache& Programs() { return programs_; }

  //! True once the context is known to be dead. It stays so: open the device again.
  bool IsLost() const;
  void MarkLost();

 private:
  //! A large buffer of a CPU device, whose runtime would choose small pages. They go to `pool` with
  //! its end, unless that is null.
  Buffer CreateInHugePages(size_t bytes, Access access, std::unique_ptr<HugePages> pages,
                           std::shared_ptr<PagePool> pool);
  bool IsInHugePages(size_t bytes) const;
  //! A buffer of new memory that goes to the pool with its end.
  Buffer CreatePooled(size_t bytes);

  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<PagePool> pages_;
  //! Null where buffers are not reused.
  std::shared_ptr<BufferPool> buffers_;
  //! Null on zero-copy devices.
  std::shared_ptr<StagingRing> staging_;
  ProgramCache programs_;
};

}  // namespace margay::device
