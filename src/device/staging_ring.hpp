#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device/pinned_memory.hpp"

// Private to src/device.

namespace margay::device {

class DeviceState;
class StagingRing;

//! One chunk of a ring, for its holder alone. Goes back to the ring with the object. Move-only.
class StagingChunk {
 public:
  StagingChunk(std::shared_ptr<StagingRing> ring, PinnedMemory memory);
  ~StagingChunk();
  StagingChunk(StagingChunk&& other) noexcept = default;
  StagingChunk& operator=(StagingChunk&& other) noexcept = delete;

  std::byte* Data() const { return static_cast<std::byte*>(memory_.Data()); }
  size_t Size() const { return memory_.Size(); }

 private:
  std::shared_ptr<StagingRing> ring_;
  PinnedMemory memory_;
};

//! The page-locked memory through which ordinary host memory travels to and from a discrete device:
//! large chunks for transfers that run piece by piece, and small ones in which a queue gathers what
//! the host wants to know of several commands. Both are allocated when first needed and shared by
//! all queues of the device. Thread-safe.
class StagingRing : public std::enable_shared_from_this<StagingRing> {
 public:
  //! Large enough for full bus speed, small enough that copying a chunk overlaps the one before.
  static constexpr size_t kChunkBytes = size_t{4} << 20;
  //! Bounds page-locked memory: enough for several threads at two or three chunks each.
  static constexpr size_t kChunkLimit = 32;
  //! For the sizes, counts and faults that the host asks for between commands.
  static constexpr size_t kReadbackBytes = size_t{64} << 10;
  static constexpr size_t kReadbackLimit = 64;

  explicit StagingRing(std::shared_ptr<DeviceState> state);

  //! Waits until a chunk is free. A holder of a chunk may not call this, lest all wait for each
  //! other; it uses TryAcquire(). Throws DeviceError.
  StagingChunk Acquire();
  //! A free chunk, or none. Throws DeviceError.
  std::optional<StagingChunk> TryAcquire();
  //! A free small chunk, or none. Its holder may call Acquire(). Throws DeviceError.
  std::optional<StagingChunk> TryAcquireReadback();

 private:
  friend class StagingChunk;

  //! Chunks of one size.
  struct Shelf {
    const size_t chunk_bytes;
    const size_t limit;
    std::vector<PinnedMemory> idle;
    size_t chunks = 0;
  };

  void Return(PinnedMemory memory) noexcept;
  std::optional<PinnedMemory> Take(Shelf& shelf, std::unique_lock<std::mutex>& lock);

  std::shared_ptr<DeviceState> state_;
  std::mutex mutex_;
  std::condition_variable returned_;
  Shelf chunks_{kChunkBytes, kChunkLimit, {}};
  Shelf readbacks_{kReadbackBytes, kReadbackLimit, {}};
};

}  // namespace margay::device
