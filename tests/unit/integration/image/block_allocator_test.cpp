#include "integration/image/block_allocator.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "duckdb/storage/buffer_manager.hpp"
#include "test_database.hpp"

namespace margay::integration {
namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

TEST(BlockAllocator, BlocksAreAlignedAndKeepTheirPlace) {
  TestDatabase database;
  BlockAllocator allocator(duckdb::BufferManager::GetBufferManager(*database.Database().instance));
  auto block = allocator.Allocate(100);
  auto* first = block->TryPin();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 4096, 0U);
  std::memset(first, 7, 100);
  EXPECT_EQ(block->TryPin(), first);
  block->Unpin();
  block->Unpin();
  EXPECT_EQ(block->TryPin(), first);
  EXPECT_EQ(first[99], std::byte{7});
  block->Unpin();
  EXPECT_EQ(block->Size(), 100U);
}

TEST(BlockAllocator, BlocksCountAgainstTheMemoryLimitAndAreDroppedUnderPressure) {
  TestDatabase database;
  database.Run("SET memory_limit = '100MB'");
  auto& manager = duckdb::BufferManager::GetBufferManager(*database.Database().instance);
  BlockAllocator allocator(manager);
  auto pinned = allocator.Allocate(20 * kMegabyte);
  auto* address = pinned->TryPin();
  ASSERT_NE(address, nullptr);
  std::vector<std::shared_ptr<memory::HostBlock>> loose;
  for (int i = 0; i < 6; i++) {
    loose.push_back(allocator.Allocate(20 * kMegabyte));
    ASSERT_NE(loose.back()->TryPin(), nullptr) << "a new block can be pinned";
    loose.back()->Unpin();
  }
  EXPECT_LE(manager.GetUsedMemory(), manager.GetMaxMemory());
  EXPECT_EQ(loose.front()->TryPin(), nullptr) << "the oldest block made room for the others";
  EXPECT_EQ(pinned->TryPin(), address);
  pinned->Unpin();
  pinned->Unpin();
}

TEST(BlockAllocator, LackOfMemoryIsReported) {
  TestDatabase database;
  database.Run("SET memory_limit = '50MB'");
  BlockAllocator allocator(duckdb::BufferManager::GetBufferManager(*database.Database().instance));
  EXPECT_THROW(allocator.Allocate(200 * kMegabyte), memory::OutOfMemory);
}

}  // namespace
}  // namespace margay::integration
