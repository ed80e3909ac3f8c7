#include "memory/scratch_extent.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "memory/heap_allocator.hpp"
#include "test_device.hpp"

namespace margay::memory {
namespace {

//! Runs with extents in host memory and in device memory.
class ScratchExtentTest : public testing::TestWithParam<ExtentPool::Placement> {
 protected:
  void SetUp() override {
    device_ = OpenTestDevice();
    if (device_ == nullptr) {
      GTEST_SKIP() << "no device";
    }
    pool_ = std::make_unique<ExtentPool>(device_, allocator_, GetParam());
  }

  bool IsInHostMemory() const {
    return GetParam() == ExtentPool::Placement::Automatic && device_->IsZeroCopy();
  }

  //! Bytes of scratch, idle or not. In host memory the limit does not count them.
  uint64_t Held() const {
    EXPECT_TRUE(!IsInHostMemory() || pool_->Used() == 0);
    return IsInHostMemory() ? allocator_->Used() : pool_->Used();
  }

  void Write(const ScratchExtent& scratch, std::byte value, size_t bytes) {
    const std::vector<std::byte> content(bytes, value);
    device_->AcquireQueue()->Write(scratch.Buffer(), 0, content.data(), bytes);
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<HeapAllocator> allocator_ = std::make_shared<HeapAllocator>();
  std::unique_ptr<ExtentPool> pool_;
};

TEST_P(ScratchExtentTest, AZeroedExtentIsZero) {
  for (size_t bytes : {size_t{1}, size_t{5} << 20}) {
    const std::vector<std::byte> content = ReadBack(*device_, pool_->CreateZeroed(bytes));
    EXPECT_TRUE(std::all_of(content.begin(), content.end(),
                            [](std::byte byte) { return byte == std::byte{0}; }));
  }
  EXPECT_EQ(pool_->Used(), 0u);
}

TEST_P(ScratchExtentTest, WhatIsGivenBackIsTakenAgain) {
  {
    const ScratchExtent first = pool_->TakeScratch(4096);
    const ScratchExtent second = pool_->TakeScratch(4096);
    EXPECT_EQ(Held(), 2 * 4096u);
    Write(first, std::byte{1}, 4096);
  }
  EXPECT_EQ(Held(), 2 * 4096u);
  {
    const ScratchExtent first = pool_->TakeScratch(4096);
    const ScratchExtent second = pool_->TakeScratch(4096);
    EXPECT_EQ(Held(), 2 * 4096u);
    const ScratchExtent other = pool_->TakeScratch(100);
    EXPECT_EQ(Held(), 2 * 4096u + 100);
  }
  pool_->EvictAll();
  EXPECT_EQ(Held(), 0u);
}

TEST_P(ScratchExtentTest, IdleOnesMakeRoom) {
  pool_->SetLimit(5000);
  pool_->TakeScratch(4096);
  EXPECT_EQ(Held(), 4096u);
  const ScratchExtent larger = pool_->TakeScratch(4500);
  if (IsInHostMemory()) {
    EXPECT_EQ(Held(), 4096u + 4500u);
    return;
  }
  EXPECT_EQ(Held(), 4500u);
  EXPECT_THROW(pool_->TakeScratch(4096), OutOfMemory);
}

TEST_P(ScratchExtentTest, OnlySomeStayIdle) {
  std::vector<ScratchExtent> taken;
  for (size_t i = 0; i < 100; i++) {
    taken.push_back(pool_->TakeScratch(1000));
  }
  EXPECT_EQ(Held(), 100 * 1000u);
  taken.clear();
  EXPECT_LE(Held(), 20 * 1000u);
}

TEST_P(ScratchExtentTest, ItMayOutliveThePool) {
  ScratchExtent scratch = pool_->TakeScratch(1000);
  ScratchExtent moved = std::move(scratch);
  scratch = pool_->TakeScratch(2000);
  moved = std::move(scratch);
  pool_.reset();
}

INSTANTIATE_TEST_SUITE_P(Placements, ScratchExtentTest,
                         testing::Values(ExtentPool::Placement::Automatic,
                                         ExtentPool::Placement::Device));

}  // namespace
}  // namespace margay::memory
