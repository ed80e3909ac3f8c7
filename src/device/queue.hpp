#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "device/buffer.hpp"
#include "device/command_clock.hpp"
#include "device/event.hpp"
#include "device/kernel.hpp"
#include "device/staging_ring.hpp"

struct _cl_command_queue;

namespace margay::device {

class DeviceState;

//! What the calls of a queue have cost the host.
struct QueueStatistics {
  uint64_t launches = 0;          //!< of kernels
  uint64_t synchronisations = 0;  //!< times that it waited for the device
  double enqueue_milliseconds = 0;
  double wait_milliseconds = 0;

  void Add(const QueueStatistics& other) {
    launches += other.launches;
    synchronisations += other.synchronisations;
    enqueue_milliseconds += other.enqueue_milliseconds;
    wait_milliseconds += other.wait_milliseconds;
  }
};

//! An in-order command queue: commands run one after the other, in the order of the calls. Obtained
//! through Device::AcquireQueue(). Not thread-safe: one holder at a time. Offsets and sizes are in
//! bytes and must lie within the buffer (std::out_of_range otherwise). All calls throw DeviceError.
class Queue {
 public:
  //! Takes ownership of `handle`. Without `staging`, transfers are plain. For this layer only.
  Queue(std::shared_ptr<DeviceState> state, std::shared_ptr<CommandClock::Activity> activity,
        _cl_command_queue* handle, std::shared_ptr<StagingRing> staging);
  ~Queue();
  Queue(Queue&& other) noexcept;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  //! Copies host memory to the buffer, for the commands that follow; the caller may change it
  //! afterwards. Few bytes wait in a copy for their turn. For many the host waits: on a discrete
  //! device they go through page-locked chunks, copied while the chunk before is on the bus, and
  //! several threads share the copying of large transfers.
  void Write(const Buffer& buffer, size_t offset, const void* source, size_t bytes);
  //! Copies from the buffer to host memory and waits until it is done; staged like Write().
  void Read(const Buffer& buffer, size_t offset, void* destination, size_t bytes);

  //! Starts a transfer and returns at once, except on zero-copy devices, where the host copies. The
  //! host memory must stay as it is until the event is complete. At bus speed only from and to
  //! PinnedMemory.
  Event WriteAsync(const Buffer& buffer, size_t offset, const void* source, size_t bytes);
  Event ReadAsync(const Buffer& buffer, size_t offset, void* destination, size_t bytes);

  //! Begins to copy from the buffer to host memory: several reads need one wait. The bytes are in
  //! `destination` after the next call that waits for all commands of this queue. Until then it has
  //! to stay where it is; if the queue's lease ends before, it is not written. The bytes travel
  //! through memory of the queue, page-locked on a discrete device, as drivers wait for other
  //! memory; where there is no room in it, the call itself waits.
  void ReadLater(const Buffer& buffer, size_t offset, void* destination, size_t bytes);

  //! Sets bytes to `value`. Asynchronous, except that the host itself fills large ranges on
  //! zero-copy devices, after all commands before are done.
  void Fill(const Buffer& buffer, size_t offset, size_t bytes, uint8_t value);

  //! Copies between two buffers of the device. Asynchronous. The ranges may not overlap.
  void Copy(const Buffer& source, size_t source_offset, const Buffer& destination,
            size_t destination_offset, size_t bytes);

  //! Makes part of a buffer addressable by the host, after all commands before it are done; without
  //! a copy on zero-copy devices. `write` says that the host will change the bytes; their content
  //! is valid either way. Of 0 bytes the mapping is null. Every mapping is undone by Unmap() before
  //! kernels use the buffer again; it ends with the queue's lease at the latest.
  void* Map(const Buffer& buffer, size_t offset, size_t bytes, bool write);
  //! The same without waiting: the host may use the address after Finish().
  void* MapAsync(const Buffer& buffer, size_t offset, size_t bytes, bool write);
  void Unmap(const Buffer& buffer, void* mapped);

  //! Starts `global` work-items in work-groups of `local` (which divides `global`; 0 lets the
  //! runtime choose). Asynchronous. The kernel's arguments may be changed after the call. With
  //! `global` 0 nothing runs and the event is complete.
  Event Launch(const Kernel& kernel, size_t global, size_t local);

  //! The commands that follow wait for those that `other`, of the same device, has been given so
  //! far. Asynchronous.
  void WaitForQueue(Queue& other);

  //! Hands all commands to the device, without waiting.
  void Flush();
  //! Waits for all commands.
  void Finish();

  const QueueStatistics& Statistics() const { return statistics_; }

  //! Ends all mappings and waits for all commands without throwing; false if that failed. For this
  //! layer only.
  bool Drain() noexcept;
  //! Gives up the OpenCL object. For this layer only.
  _cl_command_queue* Detach() noexcept;

 private:
  //! A buffer, kept alive by a reference of our own, and the address it is mapped to.
  struct Mapping {
    _cl_mem* buffer;
    void* address;
  };

  //! Bytes that a command under way copies to memory of the queue, and where they go from there.
  struct Delivery {
    const std::byte* from;
    void* to;
    size_t bytes;
  };

  //! Moves `bytes` bytes from `start` on through the given queue.
  using Transfer = std::function<void(Queue& queue, size_t start, size_t bytes)>;

  //! Calls a function whose first argument is the queue, and adds the time to `milliseconds`.
  template <typename Function, typename... Arguments>
  void TimedCall(double& milliseconds, const Function& function, Arguments&&... arguments);
  //! The same for one that adds a command, and does not wait for it.
  template <typename Function, typename... Arguments>
  void Enqueue(const Function& function, Arguments&&... arguments);
  //! Waits for a command of this queue.
  void WaitFor(const Event& event);
  //! Says that commands may be under way from now on.
  void SetPending();
  //! Says that all commands so far are done.
  void SetDone();
  //! The same where the host has waited for it; hands out what was to be read later.
  void SetIdle();
  //! Memory for `bytes` bytes to read until the host waits for this queue; null: there is none.
  std::byte* ReadbackPlace(size_t bytes);
  //! The device shares our memory and the host itself moves that many bytes faster.
  bool IsForHost(size_t bytes) const;
  //! Runs a transfer, a large one in several parts by several threads, and waits for all.
  void InLanes(size_t bytes, const Transfer& transfer);
  void* MapWaiting(const Buffer& buffer, size_t offset, size_t bytes, bool write, bool waits);
  void StagedWrite(const Buffer& buffer, size_t offset, const std::byte* source, size_t bytes);
  void StagedRead(const Buffer& buffer, size_t offset, std::byte* destination, size_t bytes);

  std::shared_ptr<DeviceState> state_;
  std::shared_ptr<CommandClock::Activity> activity_;
  _cl_command_queue* handle_ = nullptr;
  std::shared_ptr<StagingRing> staging_;
  //! Not undone yet. PoCL leaks buffers that are released while mapped.
  std::vector<Mapping> mappings_;
  //! Commands may be under way.
  bool is_pending_ = false;
  //! The same, or memory is mapped, which is written when that ends. What activity_ says.
  bool is_active_ = false;
  //! What commands under way write to buffers; without staging also where later reads go.
  std::deque<std::vector<std::byte>> held_;
  //! Where reads under way go with staging, in the order of the calls.
  std::optional<StagingChunk> readback_;
  size_t readback_bytes_ = 0;  //!< of it in use
  std::vector<Delivery> deliveries_;
  QueueStatistics statistics_;
};

}  // namespace margay::device
