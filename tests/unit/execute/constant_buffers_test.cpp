#include "execute/constant_buffers.hpp"

#include <gtest/gtest.h>

#include <cstring>
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
      return constants.Get(std::as_bytes(std::span(words)), *queue);
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
    EXPECT_EQ(constants.Bytes(), (3 + 3 + 2) * sizeof(int64_t));
  }
}

TEST(ConstantBuffersTest, KeepsWhatWasUsedLast) {
  for (const auto& device : UsableDevices()) {
    SCOPED_TRACE(device->Info().name + " on " + device->Info().platform);
    ConstantBuffers constants(*device);
    device::QueueLease queue = device->AcquireQueue();
    const auto get = [&](uint8_t value, size_t bytes) {
      const std::vector<uint8_t> content(bytes, value);
      return constants.Get(std::as_bytes(std::span(content)), *queue);
    };
    const size_t mebibyte = size_t{1} << 20;
    const auto large = get(1, 2 * mebibyte);
    EXPECT_NE(get(1, 2 * mebibyte), large);
    EXPECT_EQ(constants.Bytes(), 0U);

    const auto first = get(2, mebibyte), second = get(3, mebibyte);
    get(4, mebibyte);
    get(5, mebibyte);
    EXPECT_EQ(constants.Bytes(), 4 * mebibyte);
    EXPECT_EQ(get(2, mebibyte), first);
    get(6, mebibyte);
    EXPECT_EQ(constants.Bytes(), 4 * mebibyte);
    EXPECT_EQ(get(2, mebibyte), first) << "it was used after the second";
    EXPECT_NE(get(3, mebibyte), second);
  }
}

}  // namespace
}  // namespace margay::execute
