// Buffers whose memory is kept for the next ones, on every usable device: CPUs have no need of
// that, and are asked to.
#include "device/buffer_pool.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

#include "device/device_error.hpp"
#include "device/device_query.hpp"
#include "device/device_state.hpp"
#include "device_fixture.hpp"

namespace margay::device {
namespace {

constexpr size_t kKibibyte = 1024;

class BufferPoolTest : public OnEveryDevice {
 protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    std::string problem;
    const OpenClApi* api = OpenClApi::Load("libOpenCL.so.1", &problem);
    ASSERT_NE(api, nullptr) << problem;
    std::vector<FoundDevice> found = QueryDevices(*api, &problem);
    if (GetParam() >= found.size()) {
      GTEST_SKIP() << "only for devices of the loader";
    }
    state_ = std::make_shared<DeviceState>(found[GetParam()]);
    device_ = std::make_unique<Device>(state_, Device::Reuse::Always);
  }

  std::shared_ptr<DeviceState> state_;
  std::unique_ptr<Device> device_;
};

TEST_P(BufferPoolTest, GivesMemoryAgain) {
  Buffer buffer = device_->CreateBuffer(100 * kKibibyte, Access::ReadOnly);
  const auto* handle = buffer.Handle();
  buffer = Buffer();
  buffer = device_->CreateBuffer(98 * kKibibyte, Access::ReadWrite);
  EXPECT_EQ(buffer.Handle(), handle) << "a little less fits";
  EXPECT_EQ(buffer.Size(), 98 * kKibibyte) << "the size is what was asked for";
  const Buffer other = device_->CreateBuffer(98 * kKibibyte, Access::ReadWrite);
  EXPECT_NE(other.Handle(), handle) << "it is in use";
  buffer = Buffer();
  EXPECT_NE(device_->CreateBuffer(40 * kKibibyte, Access::ReadWrite).Handle(), handle);
  EXPECT_NE(device_->CreateBuffer(101 * kKibibyte, Access::ReadWrite).Handle(), handle);
}

TEST_P(BufferPoolTest, WaitsForCommandsOfAllQueues) {
  QueueLease first = device_->AcquireQueue(), second = device_->AcquireQueue();
  Buffer buffer = device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite);
  const auto* handle = buffer.Handle();
  const Buffer source = device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite);
  first->Copy(source, 0, buffer, 0, 8 * kKibibyte);
  second->Copy(buffer, 0, source, 0, 8 * kKibibyte);
  buffer = Buffer();
  first->Finish();
  const Buffer meanwhile = device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite);
  EXPECT_NE(meanwhile.Handle(), handle) << "a command of the second queue may still use it";
  second->Finish();
  EXPECT_EQ(device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite).Handle(), handle);
}

TEST_P(BufferPoolTest, WaitsForTheEndOfMappings) {
  QueueLease queue = device_->AcquireQueue();
  Buffer buffer = device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite);
  const auto* handle = buffer.Handle();
  queue->Map(buffer, 0, 8 * kKibibyte, true);
  buffer = Buffer();
  const Buffer meanwhile = device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite);
  EXPECT_NE(meanwhile.Handle(), handle) << "the end of the mapping writes to it";
  queue = device_->AcquireQueue();
  EXPECT_EQ(device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite).Handle(), handle);
}

TEST_P(BufferPoolTest, GivesNothingOnALostDevice) {
  device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite);
  device_->MarkLost();
  EXPECT_THROW(device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite), DeviceError);
}

TEST_P(BufferPoolTest, IsEmptiedWhereThereIsNoRoom) {
  const auto* handle = device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite).Handle();
  const Buffer other = device_->CreateBuffer(8 * kKibibyte, Access::ReadWrite);
  EXPECT_EQ(other.Handle(), handle);
  Buffer idle = device_->CreateBuffer(64 * kKibibyte, Access::ReadWrite);
  idle = Buffer();
  FaultInjection::Reset();
  FaultInjection::FailCall(
      2, CL_MEM_OBJECT_ALLOCATION_FAILURE);  // the call after the look at the pool
  const Buffer made = device_->CreateBuffer(1024 * kKibibyte - 1, Access::ReadWrite);
  FaultInjection::Reset();
  EXPECT_EQ(made.Size(), 1024 * kKibibyte - 1) << "the second attempt succeeds";
}

TEST_P(BufferPoolTest, KeepsWhatCameBackLast) {
  BufferPool pool(state_, 20 * kKibibyte);
  const auto memory = [&](size_t bytes) {
    return BufferPool::Memory{state_->Create(state_->Api().CreateBuffer, state_->Context(),
                                             CL_MEM_READ_WRITE, bytes, nullptr),
                              bytes};
  };
  const BufferPool::Memory first = memory(8 * kKibibyte), second = memory(8 * kKibibyte);
  const BufferPool::Memory third = memory(12 * kKibibyte);
  pool.Return(first);
  pool.Return(second);
  EXPECT_EQ(pool.IdleBytes(), 16 * kKibibyte);
  pool.Return(third);
  EXPECT_EQ(pool.IdleBytes(), 20 * kKibibyte) << "the first one went back to the device";
  const BufferPool::Memory taken = pool.Take(5 * kKibibyte);
  EXPECT_EQ(taken.handle, second.handle);
  EXPECT_EQ(pool.Take(5 * kKibibyte).handle, nullptr) << "12 KiB are too much";
  pool.Return(memory(24 * kKibibyte));
  EXPECT_EQ(pool.IdleBytes(), 12 * kKibibyte) << "what is more than all is not kept";
  pool.Return(taken);
  pool.Clear();
  EXPECT_EQ(pool.IdleBytes(), 0U);
}

TEST_P(BufferPoolTest, RoundsSizesUp) {
  EXPECT_EQ(BufferPool::RoundUp(0), 4 * kKibibyte);
  EXPECT_EQ(BufferPool::RoundUp(1), 4 * kKibibyte);
  EXPECT_EQ(BufferPool::RoundUp(4 * kKibibyte), 4 * kKibibyte);
  EXPECT_EQ(BufferPool::RoundUp(4 * kKibibyte + 1), 8 * kKibibyte);
}

// Each thread has a queue, and sees nothing of what others write.
TEST_P(BufferPoolTest, ServesManyThreads) {
  if (IsOclgrind()) {
    GTEST_SKIP() << "one thread at a time";
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint8_t thread = 1; thread <= 4; thread++) {
    threads.emplace_back([&, thread] {
      QueueLease queue = device_->AcquireQueue();
      for (int i = 0; i < 200; i++) {
        const size_t bytes = (1 + static_cast<size_t>(i) % 3) * kKibibyte;
        Buffer last = device_->CreateBuffer(bytes, Access::ReadWrite);
        {
          const Buffer first = device_->CreateBuffer(bytes, Access::ReadWrite);
          queue->Fill(first, 0, bytes, thread);
          queue->Copy(first, 0, last, 0, bytes);
        }  // while the commands may be under way
        std::vector<uint8_t> read(bytes);
        queue->Read(last, 0, read.data(), bytes);
        for (const uint8_t byte : read) {
          wrong += byte != thread ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

MARGAY_ON_EVERY_DEVICE(BufferPoolTest);

}  // namespace
}  // namespace margay::device
