#include "execute/constant_buffers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "unit/usable_devices.hpp"

namespace margay::execute {
namespace {

TEST(ConstantBuffersTest, UploadsEachContentOnce) {
  for (const auto& device : UsableDevices()) {
    SCOPED_TRACE(device->Info().name + " on " + device->Info().platform);
    ConstantBuffers constants(*device);
    device::QueueLease queue = device->AcquireQueue();
    const auto get = [&](const std::vector<int64_t>& words) {
      return constants.Get(std::as_bytes(std::span(words)));
    };
    const std::vector<int64_t> words = {1, -2, 3};
    const auto first = get(words);
    std::vector<int64_t> read(words.size());
    queue->Read(*first, 0, read.data(), read.size() * sizeof(int64_t));
    EXPECT_EQ(read, words);
    EXPECT_EQ(get(words), first);
    EXPECT_NE(get({1, -2, 4}), first);
    EXPECT_NE(get({1, -2}), first);
    EXPECT_GE(get({})->Size(), sizeof(int64_t));
    EXPECT_EQ(constants.Bytes(), 4 * 4096U) << "a buffer takes 4 KiB at the least";
  }
}

// What one thread has brought there, others read through queues of their own.
TEST(ConstantBuffersTest, ServesManyThreads) {
  for (const auto& device : UsableDevices()) {
    SCOPED_TRACE(device->Info().name + " on " + device->Info().platform);
    ConstantBuffers constants(*device);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; thread++) {
      threads.emplace_back([&] {
        device::QueueLease queue = device->AcquireQueue();
        for (int64_t i = 0; i < 100; i++) {
          const std::vector<int64_t> words(100 + static_cast<size_t>(i), i);
          const auto buffer = constants.Get(std::as_bytes(std::span(words)));
          std::vector<int64_t> read(words.size());
          queue->Read(*buffer, 0, read.data(), read.size() * sizeof(int64_t));
          wrong += read != words ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ConstantBuffersTest, KeepsWhatWasUsedLast) {
  for (const auto& device : UsableDevices()) {
    SCOPED_TRACE(device->Info().name + " on " + device->Info().platform);
    ConstantBuffers constants(*device);
    const auto get = [&](uint8_t value, size_t bytes) {
      const std::vector<uint8_t> content(bytes, value);
      return constants.Get(std::as_bytes(std::span(content)));
    };
    const size_t quarter = size_t{128} << 10;
    const auto large = get(1, 3 * quarter);
    EXPECT_NE(get(1, 3 * quarter), large);
    EXPECT_EQ(constants.Bytes(), 0U);

    const auto first = get(2, quarter), second = get(3, quarter);
    get(4, quarter);
    get(5, quarter);
    EXPECT_EQ(constants.Bytes(), 4 * quarter);
    EXPECT_EQ(get(2, quarter), first);
    get(6, quarter);
    EXPECT_EQ(constants.Bytes(), 4 * quarter);
    EXPECT_EQ(get(2, quarter), first) << "it was used after the second";
    EXPECT_NE(get(3, quarter), second);
  }
}

}  // namespace
}  // namespace margay::execute
