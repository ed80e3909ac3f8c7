#include "device/queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "device/device_error.hpp"
#include "device/device_state.hpp"
#include "device/queue_lease.hpp"
#include "device/staging_ring.hpp"

namespace margay::device {

namespace {

//! Smaller transfers take 0.02 ms in one plain call, which staging can't better (H200). At 256 KiB
//! staging takes 0.036 ms, a plain one 0.07 ms.
constexpr size_t kStagingMinimum = size_t{64} << 10;

//! On zero-copy devices the host itself fills and copies from this size on, through a mapping,
//! which costs 0.005 ms. Intel's runtime fills at 9 GB/s where memset does 32 GB/s (PoCL: 27 and
//! 64), and its transfers at offset 0 collapse for odd sizes: 0.5 MiB + 1 byte took 1.8 ms, the
//! host 0.02 ms.
constexpr size_t kHostCopyMinimum = size_t{4} << 10;

//! NVIDIA's fill of 3 GiB in one call does not come back, and one that starts beyond 2 GiB writes
//! elsewhere (driver 580.159): further pieces are copies of the first. With this pattern it runs at
//! 3.5 TB/s on an H200, with one of one byte at 0.4 TB/s.
constexpr size_t kFillPiece = size_t{1} << 30;
constexpr size_t kFillPatternBytes = 16;

//! Up to so many bytes are written from the host rather than filled: NVIDIA's fill takes 0.05 ms
//! however few they are (H200).
constexpr size_t kWrittenFill = 4096;

//! Transfers of at least kLanesMinimum are cut in kLanes parts, each copied by a thread of its own.
//! Measured with 256 MiB on an H200's host: writes at 29 instead of 8 GB/s, reads at 25 instead
//! of 7.
constexpr size_t kLanes = 4;
constexpr size_t kLaneAlignment = 4096;
constexpr size_t kLanesMinimum = size_t{16} << 20;

//! Of what is read later, from the place of one read to the next: no two share a cache line.
constexpr size_t kReadbackAlignment = 64;

//! Chunks of one transfer under way: one on the bus, one being copied, one to cover jitter.
constexpr size_t kChunksInFlight = 3;

//! Throws DeviceError if the queue's context turns out to be dead after `error`. After an illegal
//! access by a kernel, NVIDIA's driver answers transfers with CL_OUT_OF_RESOURCES; only waiting for
//! the queue tells this from a lack of memory.
void RequireAlive(DeviceState& state, cl_command_queue queue, const DeviceError& error) {
  if (error.Code() != CL_OUT_OF_RESOURCES) {
    return;
  }
  const cl_int code = CallQuietly(state.Api().Finish, queue);
  if (IsDeviceLostCode(code)) {
    state.CheckResult(state.Api().Finish.name, code);
  }
}

//! Adds the time that it lives to `milliseconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& milliseconds) : milliseconds_(milliseconds) {}
  ~Stopwatch() {
    milliseconds_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
            .count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& milliseconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

//! A chunk on its way between host and device. Waits for the device before the chunk is given back.
struct ChunkTransfer {
  ChunkTransfer(StagingChunk held_chunk, size_t chunk_offset, size_t chunk_bytes)
      : chunk(std::move(held_chunk)), offset(chunk_offset), bytes(chunk_bytes) {}
  ~ChunkTransfer() { done.Drain(); }

  StagingChunk chunk;
  Event done;
  //! Within the whole transfer.
  size_t offset;
  size_t bytes;
};

//! A free chunk, or the oldest of `in_flight` once the device is done with it, for which
//! `wait_for` waits.
template <typename WaitFor>
StagingChunk NextChunk(StagingRing& ring, std::deque<ChunkTransfer>& in_flight,
                       const WaitFor& wait_for) {
  if (in_flight.empty()) {
    return ring.Acquire();
  }
  if (in_flight.size() < kChunksInFlight) {
    if (std::optional<StagingChunk> chunk = ring.TryAcquire()) {
      return std::move(*chunk);
    }
  }
  wait_for(in_flight.front().done);
  StagingChunk chunk = std::move(in_flight.front().chunk);
  in_flight.pop_front();
  return chunk;
}

void RequireRange(const Buffer& buffer, size_t offset, size_t bytes) {
  if (offset > buffer.Size() || bytes > buffer.Size() - offset) {
    throw std::out_of_range("bytes " + std::to_string(offset) + " to " +
                            std::to_string(offset + bytes) + " are not within a buffer of " +
                            std::to_string(buffer.Size()) + " bytes");
  }
}

}  // namespace

Queue::Queue(std::shared_ptr<DeviceState> state, std::shared_ptr<CommandClock::Activity> activity,
             _cl_command_queue* handle, std::shared_ptr<StagingRing> staging)
    : state_(std::move(state)),
      activity_(std::move(activity)),
      handle_(handle),
      staging_(std::move(staging)) {}

Queue::~Queue() {
  if (handle_ != nullptr) {
    // Commands that nobody can wait for may use memory that others get.
    if (!Drain()) {
      state_->MarkLost();
    }
    state_->ReleaseQueue(handle_);
  }
}

Queue::Queue(Queue&& other) noexcept
    : state_(std::move(other.state_)),
      activity_(std::move(other.activity_)),
      handle_(std::exchange(other.handle_, nullptr)),
      staging_(std::move(other.staging_)),
      mappings_(std::move(other.mappings_)),
      is_pending_(std::exchange(other.is_pending_, false)),
      is_active_(std::exchange(other.is_active_, false)),
      held_(std::move(other.held_)),
      readback_(std::move(other.readback_)),
      readback_bytes_(other.readback_bytes_),
      deliveries_(std::move(other.deliveries_)),
      statistics_(other.statistics_) {}

template <typename Function, typename... Arguments>
void Queue::TimedCall(double& milliseconds, const Function& function, Arguments&&... arguments) {
  const Stopwatch watch(milliseconds);
  try {
    state_->Call(function, handle_, std::forward<Arguments>(arguments)...);
  } catch (const DeviceError& error) {
    RequireAlive(*state_, handle_, error);
    throw;
  }
}

template <typename Function, typename... Arguments>
void Queue::Enqueue(const Function& function, Arguments&&... arguments) {
  TimedCall(statistics_.enqueue_milliseconds, function, std::forward<Arguments>(arguments)...);
}

void Queue::WaitFor(const Event& event) {
  const Stopwatch watch(statistics_.wait_milliseconds);
  event.Wait();
}

void Queue::SetPending() {
  if (!is_active_) {
    activity_->Begin(state_->Clock());
    is_active_ = true;
  }
  is_pending_ = true;
}

void Queue::SetDone() {
  is_pending_ = false;
  held_.clear();
  deliveries_.clear();
  readback_bytes_ = 0;
  if (mappings_.empty()) {
    is_active_ = false;
    activity_->End();
  }
}

void Queue::SetIdle() {
  for (const Delivery& delivery : deliveries_) {
    std::memcpy(delivery.to, delivery.from, delivery.bytes);
  }
  SetDone();
  ProcessExit::HandleAfter(ProcessExit::Stage::Run);
  statistics_.synchronisations++;
}

void Queue::Write(const Buffer& buffer, size_t offset, const void* source, size_t bytes) {
  buffer.RequireOf(*state_);
  RequireRange(buffer, offset, bytes);
  if (bytes == 0) {
    return;
  }
  if (staging_ != nullptr && bytes >= kStagingMinimum) {
    InLanes(bytes, [&](Queue& queue, size_t start, size_t part) {
      queue.StagedWrite(buffer, offset + start, static_cast<const std::byte*>(source) + start,
                        part);
    });
    return;
  }
  if (IsForHost(bytes)) {
    void* mapped = Map(buffer, offset, bytes, true);
    std::memcpy(mapped, source, bytes);
    Unmap(buffer, mapped);
    Finish();
    return;
  }
  SetPending();
  const auto* begin = static_cast<const std::byte*>(source);
  const std::vector<std::byte>& copy = held_.emplace_back(begin, begin + bytes);
  Enqueue(state_->Api().EnqueueWriteBuffer, buffer.Handle(), CL_FALSE, offset, bytes, copy.data(),
          0, nullptr, nullptr);
}

void Queue::Read(const Buffer& buffer, size_t offset, void* destination, size_t bytes) {
  buffer.RequireOf(*state_);
  RequireRange(buffer, offset, bytes);
  if (bytes == 0) {
    return;
  }
  if (staging_ != nullptr && bytes >= kStagingMinimum) {
    InLanes(bytes, [&](Queue& queue, size_t start, size_t part) {
      queue.StagedRead(buffer, offset + start, static_cast<std::byte*>(destination) + start, part);
    });
    return;
  }
  if (IsForHost(bytes)) {
    void* mapped = Map(buffer, offset, bytes, false);
    std::memcpy(destination, mapped, bytes);
    Unmap(buffer, mapped);
    Finish();
    return;
  }
  SetPending();
  TimedCall(statistics_.wait_milliseconds, state_->Api().EnqueueReadBuffer, buffer.Handle(),
            CL_TRUE, offset, bytes, destination, 0, nullptr, nullptr);
  SetIdle();
}

Event Queue::WriteAsync(const Buffer& buffer, size_t offset, const void* source, size_t bytes) {
  buffer.RequireOf(*state_);
  RequireRange(buffer, offset, bytes);
  if (bytes == 0) {
    return {};
  }
  if (IsForHost(bytes)) {
    Write(buffer, offset, source, bytes);
    return {};
  }
  SetPending();
  cl_event event = nullptr;
  Enqueue(state_->Api().EnqueueWriteBuffer, buffer.Handle(), CL_FALSE, offset, bytes, source, 0,
          nullptr, &event);
  return Event(state_, event);
}

Event Queue::ReadAsync(const Buffer& buffer, size_t offset, void* destination, size_t bytes) {
  buffer.RequireOf(*state_);
  RequireRange(buffer, offset, bytes);
  if (bytes == 0) {
    return {};
  }
  if (IsForHost(bytes)) {
    Read(buffer, offset, destination, bytes);
    return {};
  }
  SetPending();
  cl_event event = nullptr;
  Enqueue(state_->Api().EnqueueReadBuffer, buffer.Handle(), CL_FALSE, offset, bytes, destination, 0,
          nullptr, &event);
  return Event(state_, event);
}

std::byte* Queue::ReadbackPlace(size_t bytes) {
  if (staging_ == nullptr) {
    return held_.emplace_back(bytes).data();
  }
  const size_t aligned = (bytes + kReadbackAlignment - 1) / kReadbackAlignment * kReadbackAlignment;
  if (readback_bytes_ + aligned > StagingRing::kReadbackBytes) {
    return nullptr;
  }
  if (!readback_) {
    std::optional<StagingChunk> chunk = staging_->TryAcquireReadback();
    if (!chunk) {
      return nullptr;
    }
    readback_.emplace(std::move(*chunk));
  }
  return readback_->Data() + std::exchange(readback_bytes_, readback_bytes_ + aligned);
}

void Queue::ReadLater(const Buffer& buffer, size_t offset, void* destination, size_t bytes) {
  buffer.RequireOf(*state_);
  RequireRange(buffer, offset, bytes);
  if (bytes == 0) {
    return;
  }
  std::byte* const place = IsForHost(bytes) ? nullptr : ReadbackPlace(bytes);
  if (place == nullptr) {
    Read(buffer, offset, destination, bytes);
    return;
  }
  SetPending();
  Enqueue(state_->Api().EnqueueReadBuffer, buffer.Handle(), CL_FALSE, offset, bytes, place, 0,
          nullptr, nullptr);
  deliveries_.push_back({place, destination, bytes});
}

bool Queue::IsForHost(size_t bytes) const {
  return staging_ == nullptr && state_->IsZeroCopy() && bytes >= kHostCopyMinimum;
}

void Queue::InLanes(size_t bytes, const Transfer& transfer) {
  if (bytes < kLanesMinimum) {
    transfer(*this, 0, bytes);
    return;
  }
  // The other lanes use queues of their own, which know nothing of the order in this one.
  Finish();
  const size_t part = (bytes / kLanes + kLaneAlignment - 1) / kLaneAlignment * kLaneAlignment;
  std::vector<std::future<void>> lanes;
  for (size_t start = part; start < bytes; start += part) {
    lanes.push_back(std::async(std::launch::async, [&, start] {
      QueueLease queue(state_, staging_);
      transfer(*queue, start, std::min(part, bytes - start));
    }));
  }
  // A future of std::async waits for its lane when destroyed, so an exception leaves none behind.
  transfer(*this, 0, part);
  for (std::future<void>& lane : lanes) {
    lane.get();
  }
}

void Queue::StagedWrite(const Buffer& buffer, size_t offset, const std::byte* source,
                        size_t bytes) {
  std::deque<ChunkTransfer> in_flight;
  for (size_t position = 0; position < bytes;) {
    const size_t piece = std::min(bytes - position, StagingRing::kChunkBytes);
    StagingChunk chunk =
        NextChunk(*staging_, in_flight, [this](const Event& event) { WaitFor(event); });
    std::memcpy(chunk.Data(), source + position, piece);
    ChunkTransfer& transfer = in_flight.emplace_back(std::move(chunk), position, piece);
    transfer.done = WriteAsync(buffer, offset + position, transfer.chunk.Data(), piece);
    Flush();
    position += piece;
  }
  WaitFor(in_flight.back().done);
  SetIdle();
}

void Queue::StagedRead(const Buffer& buffer, size_t offset, std::byte* destination, size_t bytes) {
  std::deque<ChunkTransfer> in_flight;
  size_t position = 0;
  const auto start = [&](StagingChunk chunk) {
    const size_t piece = std::min(bytes - position, StagingRing::kChunkBytes);
    ChunkTransfer& transfer = in_flight.emplace_back(std::move(chunk), position, piece);
    transfer.done = ReadAsync(buffer, offset + position, transfer.chunk.Data(), piece);
    Flush();
    position += piece;
  };
  start(staging_->Acquire());
  while (!in_flight.empty()) {
    while (position < bytes && in_flight.size() < kChunksInFlight) {
      std::optional<StagingChunk> chunk = staging_->TryAcquire();
      if (!chunk) {
        break;
      }
      start(std::move(*chunk));
    }
    ChunkTransfer& first = in_flight.front();
    WaitFor(first.done);
    std::memcpy(destination + first.offset, first.chunk.Data(), first.bytes);
    StagingChunk chunk = std::move(first.chunk);
    in_flight.pop_front();
    if (position < bytes) {
      start(std::move(chunk));
    }
  }
  SetIdle();
}

void Queue::Fill(const Buffer& buffer, size_t offset, size_t bytes, uint8_t value) {
  buffer.RequireOf(*state_);
  RequireRange(buffer, offset, bytes);
  if (bytes == 0) {
    return;
  }
  if (IsForHost(bytes)) {
    void* mapped = Map(buffer, offset, bytes, true);
    std::memset(mapped, value, bytes);
    Unmap(buffer, mapped);
    return;
  }
  if (staging_ != nullptr && bytes <= kWrittenFill) {
    Write(buffer, offset, std::vector<uint8_t>(bytes, value).data(), bytes);
    return;
  }
  SetPending();
  std::array<uint8_t, kFillPatternBytes> pattern;
  pattern.fill(value);
  const auto fill = [&](size_t pattern_bytes, size_t start, size_t count) {
    if (count > 0) {
      Enqueue(state_->Api().EnqueueFillBuffer, buffer.Handle(), pattern.data(), pattern_bytes,
              start, count, 0, nullptr, nullptr);
    }
  };
  const size_t first = std::min(bytes, kFillPiece);
  const size_t whole = offset % pattern.size() == 0 ? first / pattern.size() * pattern.size() : 0;
  fill(pattern.size(), offset, whole);
  fill(1, offset + whole, first - whole);
  for (size_t done = first; done < bytes; done += first) {
    Copy(buffer, offset, buffer, offset + done, std::min(bytes - done, first));
  }
}

void Queue::Copy(const Buffer& source, size_t source_offset, const Buffer& destination,
                 size_t destination_offset, size_t bytes) {
  source.RequireOf(*state_);
  destination.RequireOf(*state_);
  RequireRange(source, source_offset, bytes);
  RequireRange(destination, destination_offset, bytes);
  if (bytes == 0) {
    return;
  }
  SetPending();
  Enqueue(state_->Api().EnqueueCopyBuffer, source.Handle(), destination.Handle(), source_offset,
          destination_offset, bytes, 0, nullptr, nullptr);
}

void* Queue::Map(const Buffer& buffer, size_t offset, size_t bytes, bool write) {
  return MapWaiting(buffer, offset, bytes, write, true);
}

void* Queue::MapAsync(const Buffer& buffer, size_t offset, size_t bytes, bool write) {
  return MapWaiting(buffer, offset, bytes, write, false);
}

void* Queue::MapWaiting(const Buffer& buffer, size_t offset, size_t bytes, bool write, bool waits) {
  buffer.RequireOf(*state_);
  RequireRange(buffer, offset, bytes);
  if (bytes == 0) {
    return nullptr;
  }
  SetPending();
  const cl_map_flags flags = write ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
  mappings_.reserve(mappings_.size() + 1);
  void* address = nullptr;
  const Stopwatch watch(waits ? statistics_.wait_milliseconds : statistics_.enqueue_milliseconds);
  try {
    address = state_->Create(state_->Api().EnqueueMapBuffer, handle_, buffer.Handle(),
                             waits ? CL_TRUE : CL_FALSE, flags, offset, bytes, 0, nullptr, nullptr);
  } catch (const DeviceError& error) {
    RequireAlive(*state_, handle_, error);
    throw;
  }
  CallQuietly(state_->Api().RetainMemObject, buffer.Handle());
  mappings_.push_back({buffer.Handle(), address});
  if (waits) {
    SetIdle();
  }
  return address;
}

void Queue::Unmap(const Buffer& buffer, void* mapped) {
  buffer.RequireOf(*state_);
  if (mapped == nullptr) {
    return;
  }
  SetPending();
  Enqueue(state_->Api().EnqueueUnmapMemObject, buffer.Handle(), mapped, 0, nullptr, nullptr);
  const auto mapping =
      std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping& candidate) {
        return candidate.buffer == buffer.Handle() && candidate.address == mapped;
      });
  if (mapping != mappings_.end()) {
    CallQuietly(state_->Api().ReleaseMemObject, mapping->buffer);
    mappings_.erase(mapping);
  }
}

Event Queue::Launch(const Kernel& kernel, size_t global, size_t local) {
  kernel.RequireOf(*state_);
  if (global == 0) {
    return {};
  }
  SetPending();
  statistics_.launches++;
  cl_event event = nullptr;
  Enqueue(state_->Api().EnqueueNDRangeKernel, kernel.Handle(), 1, nullptr, &global,
          local == 0 ? nullptr : &local, 0, nullptr, &event);
  return Event(state_, event);
}

void Queue::WaitForQueue(Queue& other) {
  if (!other.is_pending_) {
    return;
  }
  cl_event handle = nullptr;
  other.Enqueue(state_->Api().EnqueueMarkerWithWaitList, 0, nullptr, &handle);
  const Event marker(state_, handle);
  other.Flush();
  SetPending();
  Enqueue(state_->Api().EnqueueBarrierWithWaitList, 1, &handle, nullptr);
}

void Queue::Flush() {
  state_->Call(state_->Api().Flush, handle_);
}

void Queue::Finish() {
  if (!is_pending_)
    return;
  const Stopwatch watch(statistics_.wait_milliseconds);
  state_->Call(state_->Api().Finish, handle_);
  SetIdle();
}

bool Queue::Drain() noexcept {
  for (const Mapping& mapping : mappings_) {
    SetPending();
    CallQuietly(state_->Api().EnqueueUnmapMemObject, handle_, mapping.buffer, mapping.address, 0u,
                nullptr, nullptr);
    CallQuietly(state_->Api().ReleaseMemObject, mapping.buffer);
  }
  mappings_.clear();
  if (is_pending_ && CallQuietly(state_->Api().Finish, handle_) != CL_SUCCESS) {
    return false;
  }
  SetDone();
  return true;
}

_cl_command_queue* Queue::Detach() noexcept {
  return std::exchange(handle_, nullptr);
}

}  // namespace margay::device
