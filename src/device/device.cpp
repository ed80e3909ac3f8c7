#include "device/device.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "device/buffer_pool.hpp"
#include "device/device_error.hpp"
#include "device/device_state.hpp"
#include "device/huge_pages.hpp"
#include "device/page_pool.hpp"
#include "device/staging_ring.hpp"

namespace margay::device {

namespace {

//! What runtimes ask for; a cache line, and the widest vector.
constexpr size_t kHostAlignment = 64;

//! NVIDIA's driver allocates at the first use, where lack of memory comes too late for the caller
//! to make room. Buffers from this size on are touched when they are created.
constexpr size_t kEarlyAllocationMinimum = size_t{1} << 20;

//! Smaller buffers gain nothing from huge pages.
constexpr size_t kHugePageMinimum = 2 * kHugePageBytes;

//! Most memory that is kept for the next buffers: what a few queries need for their results.
constexpr size_t kMostIdlePages = size_t{256} << 20;

//! Up to this part of the device's memory is kept for the next buffers.
constexpr uint64_t kShareOfIdleMemory = 16;

//! The memory of a buffer, and the pool that gets it then; null: the operating system does.
struct BorrowedPages {
  std::unique_ptr<HugePages> pages;
  std::shared_ptr<PagePool> pool;
};

void CL_CALLBACK ReturnPages(cl_mem /*buffer*/, void* borrowed) {
  const std::unique_ptr<BorrowedPages> owned(static_cast<BorrowedPages*>(borrowed));
  if (owned->pool) {
    owned->pool->Return(std::move(owned->pages));
  }
}

cl_mem_flags FlagsOf(Access access) {
  switch (access) {
    case Access::ReadOnly:
      return CL_MEM_READ_ONLY;
    case Access::WriteOnly:
      return CL_MEM_WRITE_ONLY;
    case Access::ReadWrite:
      break;
  }
  return CL_MEM_READ_WRITE;
}

}  // namespace

Device::Device(std::shared_ptr<DeviceState> state, Reuse reuse)
    : state_(std::move(state)),
      pages_(std::make_shared<PagePool>(kMostIdlePages)),
      buffers_(state_->IsZeroCopy() && reuse == Reuse::Automatic
                   ? nullptr
                   : std::make_shared<BufferPool>(
                         state_, state_->Info().global_memory / kShareOfIdleMemory)),
      staging_(state_->IsZeroCopy() ? nullptr : std::make_shared<StagingRing>(state_)),
      programs_(state_) {}

Device::~Device() = default;

const DeviceInfo& Device::Info() const {
  return state_->Info();
}

Buffer Device::CreateInHugePages(size_t bytes, Access access, std::unique_ptr<HugePages> pages,
                                 std::shared_ptr<PagePool> pool) {
  if (pages->Address() == nullptr) {
    throw DeviceError("mmap", CL_OUT_OF_HOST_MEMORY, state_->Name());
  }
  void* const address = pages->Address();
  auto borrowed = std::make_unique<BorrowedPages>(BorrowedPages{std::move(pages), std::move(pool)});
  const cl_mem handle = state_->Create(state_->Api().CreateBuffer, state_->Context(),
                                       FlagsOf(access) | CL_MEM_USE_HOST_PTR, bytes, address);
  Buffer buffer(state_, handle, bytes);
  // The memory must live as long as commands use it, and that the runtime knows.
  state_->Call(state_->Api().SetMemObjectDestructorCallback, handle, &ReturnPages, borrowed.get());
  static_cast<void>(borrowed.release());
  return buffer;
}

Buffer Device::CreateZeroedBuffer(size_t bytes, Access access) {
  return CreateZeroedBuffer(bytes, access, *AcquireQueue());
}

Buffer Device::CreateZeroedBuffer(size_t bytes, Access access, Queue& queue) {
  // New pages are zero, and cost nothing until they are touched. They don't go to the pool, whose
  // pages are not zero: the operating system clears those faster that it has just got back, as they
  // still are in the processors' caches.
  if (IsInHugePages(bytes)) {
    return CreateInHugePages(bytes, access, std::make_unique<HugePages>(bytes), nullptr);
  }
  Buffer buffer = CreateBuffer(bytes, access);
  queue.Fill(buffer, 0, bytes, 0);
  return buffer;
}

bool Device::IsInHugePages(size_t bytes) const {
  return IsZeroCopy() && bytes >= kHugePageMinimum;
}

Buffer Device::CreateBuffer(size_t bytes, Access access) {
  if (IsInHugePages(bytes)) {
    return CreateInHugePages(bytes, access, pages_->Take(bytes), pages_);
  }
  if (buffers_ == nullptr) {
    const cl_mem handle = state_->Create(state_->Api().CreateBuffer, state_->Context(),
                                         FlagsOf(access), std::max<size_t>(bytes, 1), nullptr);
    return Buffer(state_, handle, bytes);
  }
  state_->RequireAlive(state_->Api().CreateBuffer.name);
  if (const BufferPool::Memory idle = buffers_->Take(bytes); idle.handle != nullptr) {
    return Buffer(state_, idle.handle, bytes, buffers_, idle.bytes);
  }
  try {
    return CreatePooled(bytes);
  } catch (const DeviceError& error) {
    if (!error.IsOutOfMemory() || bytes > Info().largest_buffer) {
      throw;
    }
    buffers_->Clear();
    return CreatePooled(bytes);
  }
}

Buffer Device::CreatePooled(size_t bytes) {
  const size_t rounded = BufferPool::RoundUp(bytes);
  const size_t allocated = rounded <= Info().largest_buffer ? rounded : bytes;
  // Whoever gets the memory next may do anything with it.
  const cl_mem handle = state_->Create(state_->Api().CreateBuffer, state_->Context(),
                                       CL_MEM_READ_WRITE, allocated, nullptr);
  // A large one is not the pool's before it is known to be there.
  Buffer buffer(state_, handle, bytes);
  if (bytes >= kEarlyAllocationMinimum) {
    AcquireQueue()->Fill(buffer, 0, 1, 0);
  }
  return Buffer(state_, buffer.Detach(), bytes, buffers_, allocated);
}

Buffer Device::WrapHostMemory(void* memory, size_t bytes) {
  if (!IsZeroCopy()) {
    throw std::logic_error(Info().name + " does not share the host's memory");
  }
  if (bytes == 0 || reinterpret_cast<uintptr_t>(memory) % kHostAlignment != 0) {
    throw std::invalid_argument("wrapped memory must be aligned to 64 bytes and not empty");
  }
  const cl_mem handle = state_->Create(state_->Api().CreateBuffer, state_->Context(),
                                       CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory);
  return Buffer(state_, handle, bytes);
}

PinnedMemory Device::CreatePinnedMemory(size_t bytes) {
  return PinnedMemory(state_, bytes);
}

void Device::ReleaseIdleMemory() {
  if (buffers_ != nullptr) {
    buffers_->Clear();
  }
}

bool Device::IsZeroCopy() const {
  return state_->IsZeroCopy();
}

QueueLease Device::AcquireQueue() {
  return QueueLease(state_, staging_);
}

bool Device::IsLost() const {
  return state_->IsLost();
}

void Device::MarkLost() {
  state_->MarkLost();
}

}  // namespace margay::device
