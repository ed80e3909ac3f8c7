#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "device/device.hpp"
#include "memory/extent.hpp"
#include "memory/extent_pin.hpp"
#include "memory/host_allocator.hpp"
#include "memory/scratch_extent.hpp"
#include "memory/scratch_reservation.hpp"

namespace margay::memory {

class ExtentLedger;
class PinnedStaging;

//! The memory of one device for extents and scratch, under one limit:
//!
//!   limit >= used = pinned extents + evictable extents + scratch
//!
//! A request that would exceed the limit evicts unpinned extents, the least recently pinned first.
//! On a zero-copy device extents lie in blocks of the HostAllocator, whose owner may drop unpinned
//! ones too; those stay in Used() until somebody tries to pin them or they are evicted. There the
//! limit is for what is kept: scratch is memory of the host as any other and does not count.
//!
//! Thread-safe. Extents, pins and reservations may outlive the pool.
class ExtentPool {
 public:
  //! Writes bytes [offset, offset + bytes) of an extent to `destination`, all of them. `offset` is
  //! a multiple of kFillBytes. Called by the thread that creates the extent, one range after the
  //! other, without locks held; ranges may be asked for again when an attempt ran out of memory.
  using Fill = std::function<void(std::byte* destination, size_t offset, size_t bytes)>;

  //! Where extents lie.
  enum class Placement {
    Automatic,  //!< host memory on zero-copy devices, else device memory
    Device,     //!< device memory on every device; for tests
  };

  //! Ranges for Fill on devices with their own memory: long enough that a transfer hides its
  //! latency and that all threads find work in one range; two such ranges are in flight.
  static constexpr size_t kFillBytes = size_t{64} << 20;

  //! The default limit is none on zero-copy devices (the allocator has its own) and 9/10 of the
  //! memory on others.
  ExtentPool(std::shared_ptr<device::Device> device, std::shared_ptr<HostAllocator> allocator,
             Placement placement = Placement::Automatic);
  ~ExtentPool();
  ExtentPool(const ExtentPool&) = delete;
  ExtentPool& operator=(const ExtentPool&) = delete;

  //! An extent of `bytes` (at least 1) with the content that `fill` writes. Throws OutOfMemory,
  //! device::DeviceError, and whatever `fill` throws; nothing is kept then.
  std::shared_ptr<Extent> Create(size_t bytes, const Fill& fill);

  //! The same, pinned from the start, so that nobody can evict it before its maker is done.
  ExtentPin CreatePinned(size_t bytes, const Fill& fill);

  //! Brings the content of a lost extent of this pool back, which `fill` writes, and pins it. Where
  //! it is not lost, or not any more, `fill` need not be called. Throws as Create().
  ExtentPin Restore(const std::shared_ptr<Extent>& extent, const Fill& fill);

  //! A pinned extent of `bytes` (at least 1) that are all 0. Kernels may write to it until others
  //! know of it.
  ExtentPin CreateZeroed(size_t bytes);

  //! Memory of `bytes` (at least 1) with undefined content, for the tables of one execution: what
  //! an earlier one gave back, or a fresh extent.
  ScratchExtent TakeScratch(size_t bytes);

  //! Charges `bytes` of scratch for device memory that the caller allocates itself. Throws
  //! OutOfMemory.
  ScratchReservation Reserve(uint64_t bytes);

  //! A smaller limit evicts at once, as far as unpinned extents allow. What is pinned or reserved
  //! may then exceed the limit until it is released.
  void SetLimit(uint64_t bytes);
  uint64_t Limit() const;
  uint64_t Used() const;
  //! Whether more than half of the limit can't be evicted, so that what is not needed should be
  //! unpinned.
  bool IsTight() const;

  //! Evicts all unpinned extents, idle ones included, and frees idle memory for transfers and of
  //! buffers.
  void EvictAll();

  const std::shared_ptr<device::Device>& Device() const { return device_; }
  const std::shared_ptr<HostAllocator>& Allocator() const { return allocator_; }

 private:
  using LedgerPointer = std::shared_ptr<ExtentLedger>;

  ExtentPin MakePinned(const LedgerPointer& ledger, size_t bytes, const Fill& fill);
  ExtentPin MakeZeroed(const LedgerPointer& ledger, size_t bytes);
  std::shared_ptr<Extent> MakeInHostMemory(const LedgerPointer& ledger, size_t bytes,
                                           const Fill& fill);
  std::shared_ptr<Extent> MakeInDeviceMemory(const LedgerPointer& ledger, size_t bytes,
                                             const Fill& fill);
  device::Buffer Upload(size_t bytes, const Fill& fill);
  //! Runs `attempt`; where that finds no memory, evicts one extent after the other and runs it
  //! again.
  template <typename Attempt>
  auto RetryWithLess(uint64_t bytes, const Attempt& attempt);

  const std::shared_ptr<device::Device> device_;
  const std::shared_ptr<HostAllocator> allocator_;
  const bool is_in_host_memory_;
  const LedgerPointer ledger_;
  //! Of scratch: the same on devices with memory of their own, else one without a limit.
  const LedgerPointer scratch_ledger_;
  const std::shared_ptr<IdleExtents> idle_;
  //! For uploads.
  const std::unique_ptr<PinnedStaging> staging_;
};

}  // namespace margay::memory
