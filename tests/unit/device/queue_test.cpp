#include "device/queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "device/device_error.hpp"
#include "device/device_query.hpp"
#include "device/device_state.hpp"
#include "device/staging_ring.hpp"
#include "device_fixture.hpp"

namespace margay::device {
namespace {

std::vector<uint8_t> Pattern(size_t bytes, uint8_t seed) {
  std::vector<uint8_t> pattern(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    pattern[i] = static_cast<uint8_t>(i * 31 + (i >> 12) + seed);
  }
  return pattern;
}

class QueueTest : public OnEveryDevice {};
MARGAY_ON_EVERY_DEVICE(QueueTest);

TEST_P(QueueTest, RoundTrip) {
  const std::shared_ptr<Device> device = OpenDevice();
  for (const size_t bytes : {1, 3, 64, 4096, 65535, 65536, 1 << 20, (9 << 20) + 5}) {
    const Buffer buffer = device->CreateBuffer(bytes, Access::ReadWrite);
    EXPECT_EQ(buffer.Size(), bytes);
    const std::vector<uint8_t> sent = Pattern(bytes, 1);
    std::vector<uint8_t> received(bytes);
    QueueLease queue = device->AcquireQueue();
    queue->Write(buffer, 0, sent.data(), bytes);
    queue->Read(buffer, 0, received.data(), bytes);
    EXPECT_EQ(sent, received) << bytes << " bytes";
    queue->WriteAsync(buffer, 0, Pattern(bytes, 2).data(), bytes).Wait();
    queue->ReadAsync(buffer, 0, received.data(), bytes).Wait();
    EXPECT_EQ(Pattern(bytes, 2), received) << bytes << " bytes, asynchronously";
  }
}

TEST_P(QueueTest, WritesTakeTheirCopyAndDoNotWait) {
  const std::shared_ptr<Device> device = OpenDevice();
  constexpr size_t kWrites = 100, kBytes = 40;
  const Buffer buffer = device->CreateBuffer(kWrites * kBytes, Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  std::vector<uint8_t> expected;
  for (size_t i = 0; i < kWrites; i++) {
    std::vector<uint8_t> bytes = Pattern(kBytes, static_cast<uint8_t>(i));
    expected.insert(expected.end(), bytes.begin(), bytes.end());
    queue->Write(buffer, i * kBytes, bytes.data(), kBytes);
    std::fill(bytes.begin(), bytes.end(), uint8_t{0});
  }
  EXPECT_EQ(queue->Statistics().synchronisations, 0U);
  std::vector<uint8_t> received(kWrites * kBytes);
  queue->Read(buffer, 0, received.data(), received.size());
  EXPECT_EQ(received, expected);
  EXPECT_GT(queue->Statistics().synchronisations, 0U);
  const uint64_t waits = queue->Statistics().synchronisations;
  queue->Finish();
  EXPECT_EQ(queue->Statistics().synchronisations, waits) << "there is nothing to wait for";
}

TEST_P(QueueTest, SeveralReadsNeedOneWait) {
  const std::shared_ptr<Device> device = OpenDevice();
  constexpr size_t kBytes = 40;
  // More than fits into what a queue keeps for them on a discrete device.
  constexpr size_t kReads = 2 * StagingRing::kReadbackBytes / kBytes;
  const Buffer buffer = device->CreateBuffer(kReads * kBytes, Access::ReadWrite);
  const std::vector<uint8_t> sent = Pattern(kReads * kBytes, 3);
  QueueLease queue = device->AcquireQueue();
  queue->Write(buffer, 0, sent.data(), sent.size());
  queue->Finish();
  std::vector<uint8_t> received(sent.size());
  const auto read = [&](size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
      queue->ReadLater(buffer, i * kBytes, &received[i * kBytes], kBytes);
  };
  const uint64_t waits = queue->Statistics().synchronisations;
  read(0, 10);
  EXPECT_EQ(queue->Statistics().synchronisations, waits);
  EXPECT_EQ(received, std::vector<uint8_t>(sent.size())) << "nothing is there yet";
  queue->Finish();
  EXPECT_EQ(queue->Statistics().synchronisations, waits + 1);
  EXPECT_TRUE(std::equal(received.begin(), received.begin() + 10 * kBytes, sent.begin()));
  read(10, 10);
  uint8_t last = 0;
  queue->Read(buffer, sent.size() - 1, &last, 1);
  EXPECT_EQ(last, sent.back());
  EXPECT_TRUE(std::equal(received.begin(), received.begin() + 20 * kBytes, sent.begin()))
      << "any wait will do";
  read(20, kReads - 20);
  queue->Finish();
  EXPECT_EQ(received, sent);

  const std::vector<uint8_t> before = received;
  queue->Fill(buffer, 0, sent.size(), 0);
  read(0, 10);
  queue = device->AcquireQueue();
  EXPECT_EQ(received, before) << "the lease ended without a wait";
}

TEST_P(QueueTest, PartsOfBuffers) {
  const std::shared_ptr<Device> device = OpenDevice();
  const size_t bytes = 1 << 20;
  const Buffer buffer = device->CreateBuffer(bytes, Access::ReadWrite);
  const Buffer copy = device->CreateBuffer(bytes, Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  queue->Fill(buffer, 0, bytes, 0);
  queue->Fill(buffer, 100, 7, 9);
  queue->Fill(buffer, 1000, 200000, 5);
  const uint32_t word = 0x01020304;
  queue->Write(buffer, 500, &word, sizeof(word));
  queue->Fill(copy, 0, bytes, 255);
  queue->Copy(buffer, 0, copy, 1, bytes - 1);
  std::vector<uint8_t> expected(bytes, 0);
  std::fill_n(expected.begin() + 100, 7, 9);
  std::fill_n(expected.begin() + 1000, 200000, 5);
  std::memcpy(&expected[500], &word, sizeof(word));
  std::vector<uint8_t> received(bytes);
  queue->Read(buffer, 0, received.data(), bytes);
  EXPECT_EQ(expected, received);
  expected.insert(expected.begin(), 255);
  expected.pop_back();
  queue->Read(copy, 0, received.data(), bytes);
  EXPECT_EQ(expected, received) << "copied one byte further";
}

TEST_P(QueueTest, FillsMoreThanTwoGibibytes) {
  const std::shared_ptr<Device> device = OpenDevice();
  const size_t bytes = (size_t{5} << 29) + 12;
  if (device->IsZeroCopy() || device->Info().largest_buffer < bytes) {
    GTEST_SKIP() << "for a device with memory of its own";
  }
  const Buffer buffer = device->CreateBuffer(bytes, Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  queue->Fill(buffer, 0, bytes, 7);
  std::vector<uint8_t> received(bytes);
  queue->Read(buffer, 0, received.data(), bytes);
  EXPECT_EQ(std::count(received.begin(), received.end(), 7), static_cast<ptrdiff_t>(bytes));
}

//! Large buffers of CPU devices get the memory of others that are gone.
TEST_P(QueueTest, ZeroedBuffersAreZeroWhateverWasThere) {
  const std::shared_ptr<Device> device = OpenDevice();
  for (const size_t bytes : {size_t{5000}, size_t{9} << 20}) {
    for (int i = 0; i < 3; i++) {
      QueueLease queue = device->AcquireQueue();
      {
        const Buffer buffer = device->CreateBuffer(bytes, Access::ReadWrite);
        queue->Write(buffer, 0, Pattern(bytes, 1).data(), bytes);
        queue->Finish();
      }
      const Buffer zeroed = device->CreateZeroedBuffer(bytes, Access::ReadWrite, *queue);
      std::vector<uint8_t> received(bytes, 1);
      queue->Read(zeroed, 0, received.data(), bytes);
      EXPECT_EQ(received, std::vector<uint8_t>(bytes)) << bytes << " bytes";
    }
  }
}

TEST_P(QueueTest, EmptyBuffersAndTransfers) {
  const std::shared_ptr<Device> device = OpenDevice();
  const Buffer buffer = device->CreateBuffer(0, Access::ReadWrite);
  EXPECT_EQ(buffer.Size(), 0u);
  EXPECT_FALSE(buffer.IsEmpty());
  QueueLease queue = device->AcquireQueue();
  queue->Write(buffer, 0, nullptr, 0);
  queue->Read(buffer, 0, nullptr, 0);
  queue->Fill(buffer, 0, 0, 1);
  queue->Unmap(buffer, queue->Map(buffer, 0, 0, true));
  EXPECT_TRUE(queue->WriteAsync(buffer, 0, nullptr, 0).IsComplete());
}

TEST_P(QueueTest, RefusesWhatIsOutsideTheBuffer) {
  const std::shared_ptr<Device> device = OpenDevice();
  const Buffer buffer = device->CreateBuffer(16, Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  uint8_t bytes[32] = {};
  EXPECT_THROW(queue->Write(buffer, 0, bytes, 17), std::out_of_range);
  EXPECT_THROW(queue->Read(buffer, 16, bytes, 1), std::out_of_range);
  EXPECT_THROW(queue->Fill(buffer, SIZE_MAX, 2, 0), std::out_of_range);
  EXPECT_THROW(queue->Map(buffer, 8, 9, false), std::out_of_range);
  EXPECT_THROW(queue->Write(Buffer(), 0, bytes, 1), std::logic_error);
}

TEST_P(QueueTest, MappedMemory) {
  const std::shared_ptr<Device> device = OpenDevice();
  const Buffer buffer = device->CreateBuffer(4096, Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  queue->Fill(buffer, 0, 4096, 3);
  auto* mapped = static_cast<uint8_t*>(queue->Map(buffer, 1024, 1024, true));
  EXPECT_EQ(mapped[0], 3) << "content is valid in a mapping for writing";
  mapped[5] = 77;
  queue->Unmap(buffer, mapped);
  uint8_t received = 0;
  queue->Read(buffer, 1029, &received, 1);
  EXPECT_EQ(received, 77);
}

TEST_P(QueueTest, ManyMappingsAndOneWait) {
  const std::shared_ptr<Device> device = OpenDevice();
  constexpr size_t kBytes = 100'000;
  QueueLease queue = device->AcquireQueue();
  std::vector<Buffer> buffers;
  std::vector<void*> mapped;
  for (uint8_t i = 0; i < 5; i++) {
    buffers.push_back(device->CreateBuffer(kBytes, Access::ReadWrite));
    queue->Write(buffers.back(), 0, Pattern(kBytes, i).data(), kBytes);
  }
  queue->Finish();
  const uint64_t before = queue->Statistics().synchronisations;
  for (const Buffer& buffer : buffers) {
    mapped.push_back(queue->MapAsync(buffer, 0, kBytes, false));
  }
  queue->Finish();
  EXPECT_EQ(queue->Statistics().synchronisations, before + 1);
  for (uint8_t i = 0; i < 5; i++) {
    EXPECT_EQ(std::memcmp(mapped[i], Pattern(kBytes, i).data(), kBytes), 0);
    queue->Unmap(buffers[i], mapped[i]);
  }
}

TEST_P(QueueTest, MappingsEndWithTheLease) {
  const std::shared_ptr<Device> device = OpenDevice();
  Buffer buffer = device->CreateBuffer(4096, Access::ReadWrite);
  {
    QueueLease queue = device->AcquireQueue();
    static_cast<uint8_t*>(queue->Map(buffer, 0, 4096, true))[0] = 5;
  }
  QueueLease queue = device->AcquireQueue();
  uint8_t received = 0;
  queue->Read(buffer, 0, &received, 1);
  EXPECT_EQ(received, 5);
  queue->Map(buffer, 0, 4096, false);
  buffer = Buffer();
}

TEST_P(QueueTest, WrappedHostMemoryIsNotCopied) {
  const std::shared_ptr<Device> device = OpenDevice();
  alignas(64) int32_t memory[1024];
  if (!device->IsZeroCopy()) {
    EXPECT_THROW(device->WrapHostMemory(memory, sizeof(memory)), std::logic_error);
    return;
  }
  std::iota(std::begin(memory), std::end(memory), 0);
  const Buffer buffer = device->WrapHostMemory(memory, sizeof(memory));
  Kernel kernel = device->Programs().Get(kScaleSource)->CreateKernel("scale");
  kernel.Argument(0, buffer).Argument(1, buffer).Argument(2, 3).Argument(3, uint64_t{1024});
  QueueLease queue = device->AcquireQueue();
  queue->Launch(kernel, 1024, 64);
  void* mapped = queue->Map(buffer, 0, sizeof(memory), false);
  EXPECT_EQ(mapped, memory) << "the kernel must work on the caller's memory itself";
  queue->Unmap(buffer, mapped);
  queue->Finish();
  for (int32_t i = 0; i < 1024; ++i) {
    ASSERT_EQ(memory[i], i * 3);
  }
  EXPECT_THROW(device->WrapHostMemory(&memory[1], 64), std::invalid_argument);
  EXPECT_THROW(device->WrapHostMemory(memory, 0), std::invalid_argument);
}

TEST_P(QueueTest, PinnedMemory) {
  const std::shared_ptr<Device> device = OpenDevice();
  const size_t bytes = 5 << 20;
  const PinnedMemory pinned = device->CreatePinnedMemory(bytes);
  ASSERT_EQ(pinned.Size(), bytes);
  const std::vector<uint8_t> pattern = Pattern(bytes, 4);
  std::memcpy(pinned.Data(), pattern.data(), bytes);
  const Buffer buffer = device->CreateBuffer(bytes, Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  queue->WriteAsync(buffer, 0, pinned.Data(), bytes).Wait();
  std::memset(pinned.Data(), 0, bytes);
  queue->ReadAsync(buffer, 0, pinned.Data(), bytes).Wait();
  EXPECT_EQ(std::memcmp(pinned.Data(), pattern.data(), bytes), 0);
}

TEST_P(QueueTest, ManyThreadsUseOneDevice) {
  if (IsOclgrind()) {
    GTEST_SKIP() << "Oclgrind is not thread-safe";
  }
  const std::shared_ptr<Device> device = OpenDevice();
  std::vector<std::thread> threads;
  for (int32_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&device, thread] {
      for (int32_t round = 0; round < 20; ++round) {
        EXPECT_EQ(Scale(*device, {1, 2, 3}, thread),
                  (std::vector<int32_t>{thread, 2 * thread, 3 * thread}));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_P(QueueTest, ObjectsOutliveTheirDevice) {
  std::shared_ptr<Device> device = OpenDevice();
  const Buffer buffer = device->CreateBuffer(64, Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  device->MarkLost();
  OpenDevice();
  device.reset();
  uint8_t byte = 0;
  EXPECT_THROW(queue->Read(buffer, 0, &byte, 1), DeviceError);
}

TEST_P(QueueTest, BuffersOfALostDeviceDoNotHarmTheNextOne) {
  std::shared_ptr<Device> lost = OpenDevice();
  const Buffer old_buffer = lost->CreateBuffer(64, Access::ReadWrite);
  Kernel old_kernel = lost->Programs().Get(kScaleSource)->CreateKernel("scale");
  lost->MarkLost();
  const std::shared_ptr<Device> device = OpenDevice();
  QueueLease queue = device->AcquireQueue();
  uint8_t byte = 0;
  try {
    queue->Read(old_buffer, 0, &byte, 1);
    FAIL() << "a buffer of the lost context can't be read";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(error.IsDeviceLost());
  }
  EXPECT_THROW(queue->Launch(old_kernel, 1, 1), DeviceError);
  EXPECT_FALSE(device->IsLost()) << "only the old context is lost";
}

//! What it takes the host to get a few bytes that commands have just written.
TEST_P(QueueTest, DISABLED_ReadTimes) {
  const std::shared_ptr<Device> device = OpenDevice();
  constexpr size_t kReads = 8;
  constexpr int kRuns = 2000;
  const Buffer buffer = device->CreateBuffer(kReads * sizeof(uint64_t), Access::ReadWrite);
  QueueLease queue = device->AcquireQueue();
  std::vector<uint64_t> words(kReads);
  const auto print = [&](const char* name, size_t reads, bool is_later) {
    const auto start = std::chrono::steady_clock::now();
    for (int run = 0; run < kRuns; run++) {
      queue->Write(buffer, 0, words.data(), kReads * sizeof(uint64_t));
      for (size_t i = 0; i < reads; i++) {
        if (is_later)
          queue->ReadLater(buffer, i * sizeof(uint64_t), &words[i], sizeof(uint64_t));
        else
          queue->Read(buffer, i * sizeof(uint64_t), &words[i], sizeof(uint64_t));
      }
      queue->Finish();
    }
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - start;
    std::printf("%-40s %-28s %7.2f us\n", device->Info().name.c_str(), name, all.count() / kRuns);
  };
  print("nothing is read", 0, false);
  print("one read", 1, false);
  print("one read, later", 1, true);
  print("eight reads", kReads, false);
  print("eight reads, later", kReads, true);
}

TEST_P(QueueTest, CommandsWaitForAnotherQueue) {
  const std::shared_ptr<Device> device = OpenDevice();
  const size_t bytes = 8 << 20;
  const Buffer buffer = device->CreateBuffer(bytes, Access::ReadWrite);
  const Buffer copy = device->CreateBuffer(bytes, Access::ReadWrite);
  QueueLease first = device->AcquireQueue();
  QueueLease second = device->AcquireQueue();
  for (uint8_t run = 1; run < 20; run++) {
    for (uint8_t value = 0; value <= run; value++)
      first->Fill(buffer, 0, bytes, value);
    second->WaitForQueue(*first);
    second->Copy(buffer, 0, copy, 0, bytes);
    std::vector<uint8_t> received(bytes);
    second->Read(copy, 0, received.data(), bytes);
    EXPECT_EQ(std::count(received.begin(), received.end(), run), static_cast<ptrdiff_t>(bytes));
    first->WaitForQueue(*second);
  }
}

TEST(QueueTest, BuffersOfOtherDevicesAreRefused) {
  const std::vector<size_t> usable = UsableDevices();
  if (usable.size() < 2) {
    GTEST_SKIP() << "needs two devices";
  }
  const std::shared_ptr<Device> one = DeviceRegistry::Instance().Open(usable[0]);
  const std::shared_ptr<Device> other = DeviceRegistry::Instance().Open(usable[1]);
  const Buffer buffer = one->CreateBuffer(64, Access::ReadWrite);
  QueueLease queue = other->AcquireQueue();
  EXPECT_THROW(queue->Fill(buffer, 0, 64, 0), std::logic_error);
  EXPECT_FALSE(other->IsLost());
}

//! Staging is for discrete devices; here a CPU plays one.
TEST(StagedQueueTest, ManyThreadsShareTheChunks) {
  std::string problem;
  const OpenClApi* api = OpenClApi::Load("libOpenCL.so.1", &problem);
  if (api == nullptr) {
    GTEST_SKIP() << problem;
  }
  std::vector<FoundDevice> found = QueryDevices(*api, &problem);
  if (found.empty() || found.front().info.platform == "Oclgrind") {
    GTEST_SKIP() << "needs a device of the loader that is thread-safe; " << problem;
  }
  const auto state = std::make_shared<DeviceState>(found.front());
  const auto ring = std::make_shared<StagingRing>(state);
  const auto run = [&](uint8_t seed, size_t bytes) {
    const Buffer buffer(
        state,
        state->Create(api->CreateBuffer, state->Context(), CL_MEM_READ_WRITE, bytes + 10, nullptr),
        bytes + 10);
    const std::vector<uint8_t> sent = Pattern(bytes, seed);
    std::vector<uint8_t> received(bytes);
    QueueLease queue(state, ring);
    queue->Write(buffer, 10, sent.data(), bytes);
    queue->Read(buffer, 10, received.data(), bytes);
    EXPECT_EQ(sent, received);
  };
  std::vector<std::thread> threads;
  for (uint8_t seed = 0; seed < 14; ++seed) {
    threads.emplace_back(run, seed, 5 * StagingRing::kChunkBytes + 17 * seed);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }

  for (const size_t bytes : {2 * StagingRing::kChunkBytes + 17, 4 * StagingRing::kChunkBytes}) {
    FaultInjection::Reset();
    run(1, bytes);
    const uint64_t calls = FaultInjection::Calls();
    for (uint64_t call = 1; call <= calls; ++call) {
      FaultInjection::Reset();
      FaultInjection::FailCall(call, CL_OUT_OF_HOST_MEMORY);
      EXPECT_THROW(run(2, bytes), DeviceError) << "call " << call;
    }
    FaultInjection::Reset();
    run(3, bytes);
  }
}

}  // namespace
}  // namespace margay::device
