#include "memory/extent_pool.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "device/device_error.hpp"
#include "memory/extent_ledger.hpp"
#include "memory/host_pin.hpp"
#include "memory/pinned_staging.hpp"

namespace margay::memory {

namespace {

//! Extents up to this size are uploaded from plain memory in one go: page-locked pieces are for
//! bulk.
constexpr size_t kPlainUploadBytes = size_t{4} << 20;

//! Ranges in flight during an upload: one is filled while the other is on the bus.
constexpr size_t kRangesInFlight = 2;

uint64_t DefaultLimit(const device::Device& device, bool is_in_host_memory) {
  return is_in_host_memory ? std::numeric_limits<uint64_t>::max()
                           : device.Info().global_memory / 10 * 9;
}

}  // namespace

ExtentPool::ExtentPool(std::shared_ptr<device::Device> device,
                       std::shared_ptr<HostAllocator> allocator, Placement placement)
    : device_(std::move(device)),
      allocator_(std::move(allocator)),
      is_in_host_memory_(placement == Placement::Automatic && device_->IsZeroCopy()),
      ledger_(std::make_shared<ExtentLedger>(device_, DefaultLimit(*device_, is_in_host_memory_))),
      scratch_ledger_(is_in_host_memory_ ? std::make_shared<ExtentLedger>(
                                               device_, std::numeric_limits<uint64_t>::max())
                                         : ledger_),
      idle_(std::make_shared<IdleExtents>()),
      staging_(std::make_unique<PinnedStaging>(device_, kFillBytes, kRangesInFlight)) {}

ExtentPool::~ExtentPool() = default;

template <typename Attempt>
auto ExtentPool::RetryWithLess(uint64_t bytes, const Attempt& attempt) {
  const auto evict_one = [&] { return scratch_ledger_->EvictOne() || ledger_->EvictOne(); };
  for (;;) {
    try {
      return attempt();
    } catch (const OutOfMemory&) {
      if (!evict_one()) {
        throw;
      }
    } catch (const device::DeviceError& error) {
      if (!error.IsOutOfMemory()) {
        throw;
      }
      const bool is_evicted = evict_one();
      device_->ReleaseIdleMemory();  // what was evicted is idle at first
      if (!is_evicted) {
        throw ledger_->NoRoomFor(bytes);
      }
    }
  }
}

std::shared_ptr<Extent> ExtentPool::Create(size_t bytes, const Fill& fill) {
  return CreatePinned(bytes, fill).PinnedExtent();
}

ExtentPin ExtentPool::CreatePinned(size_t bytes, const Fill& fill) {
  return MakePinned(ledger_, bytes, fill);
}

ExtentPin ExtentPool::Restore(const std::shared_ptr<Extent>& extent, const Fill& fill) {
  if (auto pin = extent->TryPin()) {
    return std::move(*pin);
  }
  const ExtentPin made = CreatePinned(extent->Bytes(), fill);
  for (;;) {
    if (ledger_->MoveContent(*made.PinnedExtent(), *extent)) {
      return ExtentPin(extent);
    }
    // Somebody else was faster.
    if (auto pin = extent->TryPin()) {
      return std::move(*pin);
    }
  }
}

ExtentPin ExtentPool::CreateZeroed(size_t bytes) {
  return MakeZeroed(ledger_, bytes);
}

ScratchExtent ExtentPool::TakeScratch(size_t bytes) {
  auto pin = idle_->Take(bytes);
  return ScratchExtent(idle_, pin ? std::move(*pin) : MakeZeroed(scratch_ledger_, bytes));
}

ExtentPin ExtentPool::MakePinned(const LedgerPointer& ledger, size_t bytes, const Fill& fill) {
  ledger->Charge(bytes);
  ScratchReservation charge(ledger, bytes);
  std::shared_ptr<Extent> extent = is_in_host_memory_ ? MakeInHostMemory(ledger, bytes, fill)
                                                      : MakeInDeviceMemory(ledger, bytes, fill);
  charge.Detach();
  return ExtentPin(std::move(extent));
}

ExtentPin ExtentPool::MakeZeroed(const LedgerPointer& ledger, size_t bytes) {
  if (is_in_host_memory_) {
    return MakePinned(ledger, bytes, [](std::byte* destination, size_t, size_t range_bytes) {
      std::memset(destination, 0, range_bytes);
    });
  }
  ledger->Charge(bytes);
  ScratchReservation charge(ledger, bytes);
  auto extent = std::make_shared<Extent>(ledger, bytes, RetryWithLess(bytes, [&] {
                                           return device_->CreateZeroedBuffer(
                                               bytes, device::Access::ReadWrite);
                                         }));
  charge.Detach();
  return ExtentPin(std::move(extent));
}

std::shared_ptr<Extent> ExtentPool::MakeInHostMemory(const LedgerPointer& ledger, size_t bytes,
                                                     const Fill& fill) {
  HostPin pin = RetryWithLess(bytes, [&] { return HostPin::Allocate(*allocator_, bytes); });
  fill(pin.Address(), 0, bytes);
  auto extent = std::make_shared<Extent>(
      ledger, bytes, device_->WrapHostMemory(pin.Address(), bytes), pin.Block(), pin.Address());
  pin.Detach();
  return extent;
}

std::shared_ptr<Extent> ExtentPool::MakeInDeviceMemory(const LedgerPointer& ledger, size_t bytes,
                                                       const Fill& fill) {
  return std::make_shared<Extent>(ledger, bytes,
                                  RetryWithLess(bytes, [&] { return Upload(bytes, fill); }));
}

device::Buffer ExtentPool::Upload(size_t bytes, const Fill& fill) {
  device::Buffer buffer = device_->CreateBuffer(bytes, device::Access::ReadOnly);
  if (bytes <= kPlainUploadBytes) {
    std::vector<std::byte> content(bytes);
    fill(content.data(), 0, bytes);
    device::QueueLease queue = device_->AcquireQueue();
    queue->Write(buffer, 0, content.data(), bytes);
    queue->Finish();
    return buffer;
  }
  std::array<PinnedStaging::Lease, kRangesInFlight> ranges{staging_->Take(), staging_->Take()};
  std::array<device::Event, kRangesInFlight> transfers;
  device::QueueLease queue = device_->AcquireQueue();
  for (size_t offset = 0, turn = 0; offset < bytes; offset += kFillBytes, turn ^= 1) {
    size_t range_bytes = std::min(kFillBytes, bytes - offset);
    transfers[turn].Wait();
    fill(ranges[turn].Data(), offset, range_bytes);
    transfers[turn] = queue->WriteAsync(buffer, offset, ranges[turn].Data(), range_bytes);
    queue->Flush();
  }
  queue->Finish();
  return buffer;
}

ScratchReservation ExtentPool::Reserve(uint64_t bytes) {
  scratch_ledger_->Charge(bytes);
  return ScratchReservation(scratch_ledger_, bytes);
}

void ExtentPool::SetLimit(uint64_t bytes) {
  ledger_->SetLimit(bytes);
  device_->ReleaseIdleMemory();
}

uint64_t ExtentPool::Limit() const {
  return ledger_->Limit();
}

uint64_t ExtentPool::Used() const {
  return ledger_->Used();
}

bool ExtentPool::IsTight() const {
  return ledger_->Pinned() > ledger_->Limit() / 2;
}

void ExtentPool::EvictAll() {
  idle_->Clear();
  scratch_ledger_->EvictAll();
  ledger_->EvictAll();
  staging_->Trim();
  device_->ReleaseIdleMemory();
}

}  // namespace margay::memory
