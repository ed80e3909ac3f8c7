// Hash tables filled by partitions, on every usable device, with one work-item per work-group and
// with several: every entry is in the chain of its slot, once.
#include "kernels/slot_chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "kernels/embedded_sources.hpp"
#include "memory/heap_allocator.hpp"
#include "memory/out_of_memory.hpp"
#include "unit/every_device.hpp"

namespace margay::kernels {
namespace {

constexpr uint32_t kLanes[] = {1, 64};

//! A table whose nexts are the slots of entries.
struct Buffers {
  Buffers(device::Device& owner, uint64_t slots, const std::vector<uint32_t>& entries)
      : device(owner),
        heads(owner.CreateZeroedBuffer(slots * sizeof(uint32_t), device::Access::ReadWrite)),
        nexts(owner.CreateBuffer(entries.size() * sizeof(uint32_t), device::Access::ReadWrite)),
        table{heads, nexts, slots, static_cast<uint32_t>(entries.size())} {
    device.AcquireQueue()->Write(nexts, 0, entries.data(), entries.size() * sizeof(uint32_t));
  }

  static std::vector<uint32_t> Read(device::Device& device, const device::Buffer& buffer,
                                    size_t count) {
    std::vector<uint32_t> values(count);
    device.AcquireQueue()->Read(buffer, 0, values.data(), count * sizeof(uint32_t));
    return values;
  }

  //! The slot plus one of each entry that a chain leads to, 0 for the others.
  std::vector<uint32_t> Found() const {
    const std::vector<uint32_t> first = Read(device, heads, table.slots);
    const std::vector<uint32_t> next = Read(device, nexts, table.entries);
    std::vector<uint32_t> found(table.entries, 0);
    for (uint32_t slot = 0; slot < table.slots; slot++) {
      for (uint32_t entry = first[slot]; entry != 0; entry = next[entry - 1]) {
        if (found.at(entry - 1) != 0)
          throw std::runtime_error("an entry is in two chains, or in a circle");
        found[entry - 1] = slot + 1;
      }
    }
    return found;
  }

  device::Device& device;
  device::Buffer heads, nexts;
  SlotChains::Table table;
};

//! Calls check(device, pool, lanes) for every usable device and number of lanes.
template <typename Check>
void WithAllLanes(const Check& check) {
  OnEveryDevice([&](device::Device& device, memory::ExtentPool& pool) {
    for (const uint32_t lanes : kLanes) {
      SCOPED_TRACE("lanes " + std::to_string(lanes));
      check(device, pool, lanes);
    }
  });
}

void ExpectFilled(uint64_t slots, const std::vector<uint32_t>& entries) {
  WithAllLanes([&](device::Device& device, memory::ExtentPool& pool, uint32_t lanes) {
    const Buffers buffers(device, slots, entries);
    SlotChains(device, pool, lanes, [] {}).Fill(buffers.table);
    EXPECT_EQ(buffers.Found(), entries) << slots << " slots, " << entries.size() << " entries";
  });
}

TEST(SlotChainsTest, EveryEntryIsInTheChainOfItsSlot) {
  std::mt19937 random(29);
  const std::pair<uint64_t, size_t> sizes[] = {
      {1, 1}, {1, 100}, {2, 1}, {64, 20000}, {4096, 2000}, {1 << 20, 300000}, {1 << 23, 100000}};
  for (const auto& [slots, count] : sizes) {
    std::vector<uint32_t> entries(count);
    for (uint32_t& entry : entries)
      entry = random() % 7 == 0 ? 0 : static_cast<uint32_t>(random() % slots) + 1;
    ExpectFilled(slots, entries);
  }
}

TEST(SlotChainsTest, AllEntriesMayHaveOneSlot) {
  ExpectFilled(1 << 16, std::vector<uint32_t>(30000, 777));
  ExpectFilled(1 << 16, std::vector<uint32_t>(30000, 0));
  // More than a launch takes.
  ExpectFilled(1 << 4, std::vector<uint32_t>((1 << 23) + 5, 3));
}

TEST(SlotChainsTest, MayBeGivenUpBetweenLaunches) {
  WithAllLanes([](device::Device& device, memory::ExtentPool& pool, uint32_t lanes) {
    const std::vector<uint32_t> entries{1, 2, 3, 4};
    int launches = 0;
    const SlotChains all(device, pool, lanes, [&] { launches++; });
    all.Fill(Buffers(device, 16, entries).table);
    EXPECT_EQ(launches, 3) << "counts, scatters, chains";
    for (int last = 0; last < 3; last++) {
      launches = 0;
      const Buffers buffers(device, 16, entries);
      const SlotChains some(device, pool, lanes, [&] {
        if (launches++ == last)
          throw std::runtime_error("stop");
      });
      EXPECT_THROW(some.Fill(buffers.table), std::runtime_error);
      EXPECT_EQ(launches, last + 1);
    }
  });
}

TEST(SlotChainsTest, LackOfMemoryIsAnError) {
  WithAllLanes([](device::Device& device, memory::ExtentPool& pool, uint32_t lanes) {
    const Buffers buffers(device, 1 << 12, std::vector<uint32_t>(100000, 5));
    // In host memory the limit does not count scratch.
    memory::ExtentPool small(pool.Device(), pool.Allocator(),
                             memory::ExtentPool::Placement::Device);
    small.SetLimit(1000);
    const SlotChains chains(device, small, lanes, [] {});
    EXPECT_THROW(chains.Fill(buffers.table), memory::OutOfMemory);
  });
}

//! What a hash table is filled by without partitions, each work-item having a share of the entries.
constexpr const char* kPutEach = R"(
__kernel void put_each(__global const uint *restrict slots, const uint entries, const uint share,
                       volatile __global uint *heads, __global uint *restrict nexts) {
  const uint begin = (uint)get_global_id(0) * share;
  for (uint i = begin; i < min(begin + share, entries); i++)
    nexts[i] = put_first(heads + slots[i] - 1, i + 1);
})";

//! Prints the nanoseconds of an entry for tables of several sizes, filled entry by entry and by
//! partitions.
TEST(SlotChainsTest, DISABLED_FillRate) {
  std::mt19937 random(31);
  const std::string plain =
      "#define LANES 1\n" + std::string(EmbeddedSource("join_table.cl")) + kPutEach;
  for (uint32_t entries = 1 << 17; entries <= 1 << 25; entries *= 2) {
    const uint64_t slots = uint64_t{entries} * 2;
    std::vector<uint32_t> places(entries);
    for (uint32_t& place : places)
      place = static_cast<uint32_t>(random() % slots) + 1;
    for (const auto& device : UsableDevices()) {
      memory::ExtentPool pool(device, std::make_shared<memory::HeapAllocator>());
      const Buffers from(*device, 1, places), buffers(*device, slots, places);
      device::Kernel kernel = device->Programs().Get(plain)->CreateKernel("put_each");
      const bool is_gpu = device->Info().kind == device::DeviceKind::Gpu;
      const uint32_t items = device->Info().compute_units * (is_gpu ? 2048 : 4);
      kernel.Argument(0, from.nexts)
          .Argument(1, entries)
          .Argument(2, (entries - 1) / items + 1)
          .Argument(3, buffers.heads)
          .Argument(4, buffers.nexts);
      const auto print = [&](const std::string& name, const auto& fill) {
        double best = 1e9;
        for (int round = 0; round < 4; round++) {
          const size_t bytes = entries * sizeof(uint32_t);
          device->AcquireQueue()->Fill(buffers.heads, 0, slots * sizeof(uint32_t), 0);
          device->AcquireQueue()->Copy(from.nexts, 0, buffers.nexts, 0, bytes);
          const auto start = std::chrono::steady_clock::now();
          fill();
          const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
          best = std::min(best, time.count());
        }
        std::printf("%-40.40s %9u entries  %-18s %7.2f ns\n", device->Info().name.c_str(), entries,
                    name.c_str(), best * 1e9 / entries);
      };
      print("entry by entry",
            [&] { device->AcquireQueue()->Launch(kernel, items, is_gpu ? 256 : 1).Wait(); });
      for (const uint32_t lanes : {1, 256}) {
        const SlotChains chains(*device, pool, lanes, [] {});
        print("partitions, lanes " + std::to_string(lanes), [&] { chains.Fill(buffers.table); });
      }
    }
  }
}

}  // namespace
}  // namespace margay::kernels
