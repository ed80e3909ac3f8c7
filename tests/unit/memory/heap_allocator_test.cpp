#include "memory/heap_allocator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "memory/host_pin.hpp"

namespace margay::memory {

TEST(HeapAllocator, BlocksAreAlignedAndKeepTheirContent) {
  HeapAllocator allocator;
  std::shared_ptr<HostBlock> block = allocator.Allocate(5000);
  EXPECT_EQ(block->Size(), 5000u);
  std::byte* address = block->TryPin();
  ASSERT_NE(address, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 4096, 0u);
  std::memset(address, 7, 5000);
  block->Unpin();
  EXPECT_EQ(block->TryPin(), address) << "the address is the same at every pin";
  EXPECT_EQ(address[4999], std::byte{7});
  block->Unpin();
}

TEST(HeapAllocator, DropsOnlyUnpinnedBlocksAndForEver) {
  HeapAllocator allocator;
  std::shared_ptr<HostBlock> pinned = allocator.Allocate(100);
  std::shared_ptr<HostBlock> unpinned = allocator.Allocate(200);
  ASSERT_NE(pinned->TryPin(), nullptr);
  EXPECT_EQ(allocator.DropUnpinned(), 1u);
  EXPECT_EQ(allocator.Used(), 100u);
  EXPECT_EQ(unpinned->TryPin(), nullptr);
  EXPECT_NE(pinned->TryPin(), nullptr);
  pinned->Unpin();
  EXPECT_EQ(allocator.DropUnpinned(), 0u) << "one of two pins is left";
  pinned->Unpin();
  EXPECT_EQ(allocator.DropUnpinned(), 1u);
}

TEST(HeapAllocator, ThrowsBeyondItsLimitAndCountsFreedBlocks) {
  HeapAllocator allocator(1000);
  std::shared_ptr<HostBlock> block = allocator.Allocate(600);
  try {
    allocator.Allocate(500);
    FAIL() << "600 + 500 bytes fit in 1000";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.Needed(), 500u);
    EXPECT_EQ(error.Limit(), 1000u);
    EXPECT_EQ(error.Used(), 600u);
    EXPECT_NE(std::string(error.what()).find("500 bytes are needed"), std::string::npos);
  }
  block.reset();
  EXPECT_EQ(allocator.Used(), 0u);
  EXPECT_NE(allocator.Allocate(1000), nullptr);
}

TEST(HeapAllocator, BlocksOutliveIt) {
  std::shared_ptr<HostBlock> block;
  {
    HeapAllocator allocator;
    block = allocator.Allocate(64);
  }
  EXPECT_NE(block->TryPin(), nullptr);
  block->Unpin();
}

TEST(HostPin, UnpinsWhenItDies) {
  HeapAllocator allocator;
  std::shared_ptr<HostBlock> block = allocator.Allocate(64);
  {
    HostPin pin(block);
    HostPin moved(std::move(pin));
    EXPECT_EQ(allocator.DropUnpinned(), 0u);
    EXPECT_NE(moved.Address(), nullptr);
  }
  EXPECT_EQ(allocator.DropUnpinned(), 1u);
  EXPECT_EQ(HostPin(block).Address(), nullptr);
}

}  // namespace margay::memory
