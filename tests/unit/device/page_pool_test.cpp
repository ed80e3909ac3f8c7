#include "device/page_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace margay::device {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

TEST(PagePool, GivesPagesAgain) {
  PagePool pool(64 * kMebibyte);
  std::unique_ptr<HugePages> pages = pool.Take(8 * kMebibyte);
  ASSERT_NE(pages->Address(), nullptr);
  EXPECT_EQ(pages->Bytes(), 8 * kMebibyte);
  void* const address = pages->Address();
  std::memset(address, 7, pages->Bytes());
  pool.Return(std::move(pages));
  EXPECT_EQ(pool.IdleBytes(), 8 * kMebibyte);

  pages = pool.Take(5 * kMebibyte);
  EXPECT_EQ(pages->Address(), address);
  EXPECT_EQ(pool.IdleBytes(), 0U);
}

TEST(PagePool, TakesTheSmallestThatFits) {
  PagePool pool(64 * kMebibyte);
  auto large = pool.Take(12 * kMebibyte), small = pool.Take(8 * kMebibyte);
  void* const address = small->Address();
  pool.Return(std::move(large));
  pool.Return(std::move(small));
  EXPECT_EQ(pool.Take(7 * kMebibyte)->Address(), address);
  // Neither too small a piece nor far too large a one.
  EXPECT_EQ(pool.Take(16 * kMebibyte)->Bytes(), 16 * kMebibyte);
  EXPECT_EQ(pool.Take(4 * kMebibyte)->Bytes(), 4 * kMebibyte);
  EXPECT_EQ(pool.IdleBytes(), 12 * kMebibyte);
}

TEST(PagePool, IsEmptiedWhereThereIsNoRoom) {
  PagePool pool(64 * kMebibyte);
  pool.Return(pool.Take(8 * kMebibyte));
  EXPECT_EQ(pool.IdleBytes(), 8 * kMebibyte);
  EXPECT_EQ(pool.Take(size_t{1} << 60)->Address(), nullptr);
  EXPECT_EQ(pool.IdleBytes(), 0U);
}

TEST(PagePool, ServesManyThreads) {
  PagePool pool(32 * kMebibyte);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; thread++) {
    threads.emplace_back([&pool, thread] {
      for (size_t i = 0; i < 50; i++) {
        std::unique_ptr<HugePages> pages = pool.Take((4 + i % 7) * kMebibyte);
        auto* const bytes = static_cast<uint8_t*>(pages->Address());
        bytes[0] = static_cast<uint8_t>(thread);
        EXPECT_EQ(bytes[0], thread);
        pool.Return(std::move(pages));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LE(pool.IdleBytes(), 32 * kMebibyte);
}

TEST(PagePool, KeepsWhatCameBackLast) {
  PagePool pool(16 * kMebibyte);
  auto first = pool.Take(8 * kMebibyte), second = pool.Take(8 * kMebibyte);
  auto third = pool.Take(6 * kMebibyte), huge = pool.Take(20 * kMebibyte);
  pool.Return(std::move(first));
  pool.Return(std::move(second));
  EXPECT_EQ(pool.IdleBytes(), 16 * kMebibyte);
  pool.Return(std::move(third));
  EXPECT_EQ(pool.IdleBytes(), 14 * kMebibyte);
  // What is too large takes no other's place.
  pool.Return(std::move(huge));
  EXPECT_EQ(pool.IdleBytes(), 14 * kMebibyte);
}

}  // namespace
}  // namespace margay::device
