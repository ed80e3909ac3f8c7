// Rows in regions, copied together by the device and by the host, on every usable device.
#include "execute/region_rows.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "memory/heap_allocator.hpp"
#include "unit/usable_devices.hpp"

namespace margay::execute {
namespace {

TEST(RegionRowsTest, CopiesTheFilledPartsTogether) {
  std::mt19937 random(7);
  const uint32_t unit_rows = 100;
  const std::vector<uint32_t> counts = {0, 1, 100, 0, 63, 64, 65, 7};
  for (const auto& device : UsableDevices()) {
    SCOPED_TRACE(device->Info().name + " on " + device->Info().platform);
    memory::ExtentPool pool(device, std::make_shared<memory::HeapAllocator>());
    device::QueueLease queue = device->AcquireQueue();
    const device::Buffer count_buffer =
        device->CreateBuffer(counts.size() * sizeof(uint32_t), device::Access::ReadWrite);
    queue->Write(count_buffer, 0, counts.data(), counts.size() * sizeof(uint32_t));
    const Regions regions{count_buffer, counts, unit_rows};
    EXPECT_EQ(regions.Rows(), 300U);

    RegionRows rows(regions, *device, pool);
    std::vector<device::Buffer> buffers;
    std::vector<std::byte> expected;
    // More than one launch copies.
    const std::vector<size_t> widths = {1, 2, 4, 8, 12, 16, 1, 8, 3, 2, 4};
    for (size_t width : widths) {
      std::vector<std::byte> bytes(counts.size() * unit_rows * width);
      for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(random());
      buffers.push_back(device->CreateBuffer(bytes.size(), device::Access::ReadWrite));
      queue->Write(buffers.back(), 0, bytes.data(), bytes.size());
      expected.resize((expected.size() + 63) / 64 * 64);
      for (size_t unit = 0; unit < counts.size(); unit++) {
        const auto begin = bytes.begin() + static_cast<ptrdiff_t>(unit * unit_rows * width);
        expected.insert(expected.end(), begin,
                        begin + static_cast<ptrdiff_t>(counts[unit] * width));
      }
    }
    for (size_t i = 0; i < widths.size(); i++)
      EXPECT_EQ(rows.Add(buffers[i], widths[i]) % 64, 0U);
    for (const bool by_device : {true, false}) {
      std::vector<std::byte> copied(rows.Bytes(), std::byte{0});
      if (by_device)
        rows.CopyFromDeviceMemory(*queue, copied.data());
      else
        rows.CopyFromHostMemory(*queue, copied.data());
      ASSERT_GE(copied.size(), expected.size());
      size_t place = 0;
      for (size_t width : widths) {  // what lies between columns is not defined
        EXPECT_EQ(std::memcmp(copied.data() + place, expected.data() + place, 300 * width), 0)
            << width << " bytes, by " << (by_device ? "device" : "host");
        place += (300 * width + 63) / 64 * 64;
      }
    }
  }
}

}  // namespace
}  // namespace margay::execute
