#include "device/page_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

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
