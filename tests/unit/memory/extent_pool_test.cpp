#include "memory/extent_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "device/device_error.hpp"
#include "device/fault_injection.hpp"
#include "memory/heap_allocator.hpp"
#include "test_device.hpp"

namespace margay::memory {
namespace {

constexpr int kAllocationFailure = -4;  // CL_MEM_OBJECT_ALLOCATION_FAILURE
constexpr int kInvalidValue = -30;      // CL_INVALID_VALUE

//! Runs with extents in host memory and in device memory.
class ExtentPoolTest : public testing::TestWithParam<ExtentPool::Placement> {
 protected:
  void SetUp() override {
    device_ = OpenTestDevice();
    if (device_ == nullptr) {
      GTEST_SKIP() << "no device";
    }
    allocator_ = std::make_shared<HeapAllocator>();
    pool_ = std::make_unique<ExtentPool>(device_, allocator_, GetParam());
  }
  void TearDown() override { device::FaultInjection::Reset(); }

  bool IsInHostMemory() const {
    return GetParam() == ExtentPool::Placement::Automatic && device_->IsZeroCopy();
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<HeapAllocator> allocator_;
  std::unique_ptr<ExtentPool> pool_;
};

TEST_P(ExtentPoolTest, DeviceSeesWhatWasFilled) {
  // Up to several ranges of an upload.
  for (size_t bytes : {size_t{1}, size_t{4096}, size_t{5} << 20, 2 * ExtentPool::kFillBytes + 77}) {
    std::shared_ptr<Extent> extent = pool_->Create(bytes, Pattern(bytes));
    EXPECT_EQ(extent->Bytes(), bytes);
    EXPECT_FALSE(extent->IsLost());
    std::optional<ExtentPin> pin = extent->TryPin();
    ASSERT_TRUE(pin.has_value());
    EXPECT_EQ(pin->HostAddress() != nullptr, IsInHostMemory());
    EXPECT_TRUE(ReadBack(*device_, *pin) == PatternBytes(bytes, bytes)) << bytes << " bytes";
    EXPECT_EQ(pool_->Used(), bytes);
    pin.reset();
    extent.reset();
    EXPECT_EQ(pool_->Used(), 0u);
  }
  EXPECT_EQ(allocator_->Used(), 0u);
}

TEST_P(ExtentPoolTest, EvictsTheLeastRecentlyPinned) {
  pool_->SetLimit(3000);
  std::shared_ptr<Extent> a = pool_->Create(1000, Pattern(1));
  std::shared_ptr<Extent> b = pool_->Create(1000, Pattern(2));
  std::shared_ptr<Extent> c = pool_->Create(1000, Pattern(3));
  a->TryPin();
  std::shared_ptr<Extent> d = pool_->Create(1000, Pattern(4));
  EXPECT_FALSE(a->IsLost()) << "a was used after b and c";
  EXPECT_TRUE(b->IsLost());
  EXPECT_FALSE(c->IsLost());
  EXPECT_FALSE(b->TryPin().has_value());
  EXPECT_EQ(pool_->Used(), 3000u);
  std::optional<ExtentPin> pin = a->TryPin();
  EXPECT_TRUE(ReadBack(*device_, *pin) == PatternBytes(1, 1000));
}

TEST_P(ExtentPoolTest, ALostExtentComesBack) {
  pool_->SetLimit(1500);
  std::shared_ptr<Extent> a = pool_->Create(1000, Pattern(1));
  std::shared_ptr<Extent> b = pool_->Create(1000, Pattern(2));
  ASSERT_TRUE(a->IsLost());
  {
    const ExtentPin pin = pool_->Restore(a, Pattern(1));
    EXPECT_TRUE(ReadBack(*device_, pin) == PatternBytes(1, 1000));
    EXPECT_TRUE(b->IsLost());
    EXPECT_EQ(pool_->Used(), 1000u);
    // What is there is not written again.
    const ExtentPin again = pool_->Restore(a, Pattern(3));
    EXPECT_TRUE(ReadBack(*device_, again) == PatternBytes(1, 1000));
    EXPECT_THROW(pool_->Restore(b, Pattern(2)), OutOfMemory);
  }
  EXPECT_FALSE(a->IsLost());
  EXPECT_TRUE(ReadBack(*device_, pool_->Restore(b, Pattern(2))) == PatternBytes(2, 1000));
  EXPECT_TRUE(a->IsLost());
  a.reset();
  b.reset();
  EXPECT_EQ(pool_->Used(), 0u);
  EXPECT_EQ(allocator_->Used(), 0u);
}

TEST_P(ExtentPoolTest, WhatCanBeEvictedDoesNotMakeItTight) {
  pool_->SetLimit(3000);
  std::shared_ptr<Extent> a = pool_->Create(1000, Pattern(1));
  std::shared_ptr<Extent> b = pool_->Create(1000, Pattern(2));
  EXPECT_EQ(pool_->Used(), 2000u);
  EXPECT_FALSE(pool_->IsTight());
  {
    const auto first = a->TryPin();
    EXPECT_FALSE(pool_->IsTight());
    const auto second = b->TryPin();
    EXPECT_TRUE(pool_->IsTight());
  }
  EXPECT_FALSE(pool_->IsTight());
  pool_->EvictAll();
  const ExtentPin restored = pool_->Restore(a, Pattern(1));
  EXPECT_FALSE(pool_->IsTight());
  const ExtentPin larger = pool_->CreatePinned(600, Pattern(3));
  EXPECT_TRUE(pool_->IsTight());
}

TEST_P(ExtentPoolTest, SeveralThreadsBringExtentsBack) {
  constexpr size_t kCount = 6;
  pool_->SetLimit(4500);
  std::vector<std::shared_ptr<Extent>> extents;
  for (size_t i = 0; i < kCount; i++) {
    extents.push_back(pool_->Create(1000, Pattern(i)));
  }
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; thread++) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(thread);
      for (size_t round = 0; round < 300; round++) {
        const size_t i = random() % kCount;
        const ExtentPin pin = pool_->Restore(extents[i], Pattern(i));
        ASSERT_TRUE(ReadBack(*device_, pin) == PatternBytes(i, 1000));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  extents.clear();
  EXPECT_EQ(pool_->Used(), 0u);
  EXPECT_EQ(allocator_->Used(), 0u);
}

TEST_P(ExtentPoolTest, PinnedExtentsStayAndLackOfRoomIsAnError) {
  pool_->SetLimit(3000);
  std::shared_ptr<Extent> pinned = pool_->Create(2000, Pattern(1));
  std::optional<ExtentPin> pin = pinned->TryPin();
  std::shared_ptr<Extent> other = pool_->Create(500, Pattern(2));
  try {
    pool_->Create(1500, Pattern(3));
    FAIL() << "2000 pinned bytes and 1500 more fit in 3000";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.Needed(), 1500u);
    EXPECT_EQ(error.Limit(), 3000u);
    EXPECT_EQ(error.Used(), 2000u);
  }
  EXPECT_FALSE(pinned->IsLost());
  EXPECT_TRUE(other->IsLost());
  EXPECT_THROW(pool_->Create(3001, Pattern(3)), OutOfMemory);
  pin.reset();
  EXPECT_NE(pool_->Create(1500, Pattern(3)), nullptr);
  EXPECT_TRUE(pinned->IsLost());
}

TEST_P(ExtentPoolTest, RequestBeyondTheLimitEvictsNothing) {
  pool_->SetLimit(1000);
  std::shared_ptr<Extent> extent = pool_->Create(500, Pattern(1));
  EXPECT_THROW(pool_->Create(1001, Pattern(2)), OutOfMemory);
  EXPECT_FALSE(extent->IsLost());
}

TEST_P(ExtentPoolTest, ASmallerLimitEvictsNowOrAtUnpin) {
  std::shared_ptr<Extent> unpinned = pool_->Create(1000, Pattern(1));
  std::shared_ptr<Extent> pinned = pool_->Create(1000, Pattern(2));
  std::optional<ExtentPin> pin = pinned->TryPin();
  pool_->SetLimit(10);
  EXPECT_TRUE(unpinned->IsLost());
  EXPECT_FALSE(pinned->IsLost());
  EXPECT_EQ(pool_->Used(), 1000u);
  pin.reset();
  EXPECT_TRUE(pinned->IsLost());
  EXPECT_EQ(pool_->Used(), 0u);
}

TEST_P(ExtentPoolTest, ReservationsEvictAndCount) {
  pool_->SetLimit(1000);
  std::shared_ptr<Extent> extent = pool_->Create(600, Pattern(1));
  {
    ScratchReservation reservation = pool_->Reserve(500);
    EXPECT_EQ(reservation.Bytes(), 500u);
    if (IsInHostMemory()) {
      EXPECT_FALSE(extent->IsLost()) << "the limit is for what is kept";
      EXPECT_EQ(pool_->Used(), 600u);
      return;
    }
    EXPECT_TRUE(extent->IsLost());
    EXPECT_EQ(pool_->Used(), 500u);
    EXPECT_THROW(pool_->Reserve(501), OutOfMemory);
    ScratchReservation moved = std::move(reservation);
    EXPECT_EQ(pool_->Used(), 500u);
    moved = pool_->Reserve(100);
    EXPECT_EQ(pool_->Used(), 100u);
  }
  EXPECT_EQ(pool_->Used(), 0u);
}

TEST_P(ExtentPoolTest, EvictAllLeavesPinnedExtents) {
  std::shared_ptr<Extent> a = pool_->Create(100, Pattern(1));
  std::shared_ptr<Extent> b = pool_->Create(100, Pattern(2));
  std::optional<ExtentPin> first = b->TryPin();
  std::optional<ExtentPin> second = b->TryPin();
  first.reset();
  pool_->EvictAll();
  EXPECT_TRUE(a->IsLost());
  EXPECT_FALSE(b->IsLost());
  EXPECT_TRUE(ReadBack(*device_, *second) == PatternBytes(2, 100));
}

TEST_P(ExtentPoolTest, AFailingFillLeavesNothing) {
  const auto fail = [](std::byte*, size_t, size_t) { throw std::runtime_error("no source"); };
  EXPECT_THROW(pool_->Create(1000, fail), std::runtime_error);
  EXPECT_THROW(pool_->Create(size_t{5} << 20, fail), std::runtime_error);
  EXPECT_EQ(pool_->Used(), 0u);
  EXPECT_EQ(allocator_->Used(), 0u);
}

TEST_P(ExtentPoolTest, ExtentsAndReservationsOutliveThePool) {
  std::shared_ptr<Extent> extent = pool_->Create(1000, Pattern(9));
  ScratchReservation reservation = pool_->Reserve(10);
  pool_.reset();
  std::optional<ExtentPin> pin = extent->TryPin();
  ASSERT_TRUE(pin.has_value());
  EXPECT_TRUE(ReadBack(*device_, *pin) == PatternBytes(9, 1000));
  extent.reset();
  EXPECT_TRUE(ReadBack(*device_, *pin) == PatternBytes(9, 1000)) << "the pin keeps the extent";
}

TEST_P(ExtentPoolTest, EveryFailingDeviceCallLeavesTheBooksRight) {
  for (size_t bytes : {size_t{1000}, ExtentPool::kFillBytes + 1}) {
    for (uint64_t call = 1;; call++) {
      device::FaultInjection::Reset();
      device::FaultInjection::FailCall(call, kInvalidValue);
      std::shared_ptr<Extent> extent;
      try {
        extent = pool_->Create(bytes, [](std::byte*, size_t, size_t) {});
      } catch (const device::DeviceError&) {
        EXPECT_EQ(pool_->Used(), 0u) << "call " << call;
        continue;
      }
      const bool was_reached = device::FaultInjection::Calls() >= call;
      EXPECT_FALSE(was_reached) << "call " << call << " failed unnoticed";
      break;
    }
  }
  device::FaultInjection::Reset();
  EXPECT_EQ(pool_->Used(), 0u);
  EXPECT_EQ(allocator_->Used(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Placements, ExtentPoolTest,
                         testing::Values(ExtentPool::Placement::Automatic,
                                         ExtentPool::Placement::Device),
                         [](const auto& info) {
                           return info.param == ExtentPool::Placement::Device ? "Device"
                                                                              : "Automatic";
                         });

class ZeroCopyPoolTest : public ExtentPoolTest {};

TEST_P(ZeroCopyPoolTest, BlocksDroppedByTheAllocatorAreLostExtents) {
  if (!IsInHostMemory()) {
    GTEST_SKIP() << "not a zero-copy device";
  }
  std::shared_ptr<Extent> dropped = pool_->Create(1000, Pattern(1));
  std::shared_ptr<Extent> pinned = pool_->Create(1000, Pattern(2));
  std::optional<ExtentPin> pin = pinned->TryPin();
  EXPECT_EQ(allocator_->DropUnpinned(), 1u);
  EXPECT_TRUE(dropped->IsLost());
  EXPECT_FALSE(dropped->TryPin().has_value());
  EXPECT_EQ(pool_->Used(), 1000u);
  EXPECT_TRUE(ReadBack(*device_, *pin) == PatternBytes(2, 1000));
}

TEST_P(ZeroCopyPoolTest, AnExhaustedAllocatorGetsMemoryFromEviction) {
  if (!IsInHostMemory()) {
    GTEST_SKIP() << "not a zero-copy device";
  }
  ExtentPool pool(device_, std::make_shared<HeapAllocator>(2500));
  std::shared_ptr<Extent> a = pool.Create(1000, Pattern(1));
  std::shared_ptr<Extent> b = pool.Create(1000, Pattern(2));
  std::shared_ptr<Extent> c = pool.Create(1000, Pattern(3));
  EXPECT_TRUE(a->IsLost());
  EXPECT_FALSE(b->IsLost());
  std::optional<ExtentPin> pins[] = {b->TryPin(), c->TryPin()};
  EXPECT_THROW(pool.Create(1000, Pattern(4)), OutOfMemory);
  EXPECT_EQ(pool.Used(), 2000u);
}

INSTANTIATE_TEST_SUITE_P(Host, ZeroCopyPoolTest, testing::Values(ExtentPool::Placement::Automatic));

class DevicePoolTest : public ExtentPoolTest {};

TEST_P(DevicePoolTest, ADeviceOutOfMemoryEvictsAndTriesAgain) {
  std::shared_ptr<Extent> a = pool_->Create(1000, Pattern(1));
  std::shared_ptr<Extent> b = pool_->Create(1000, Pattern(2));
  device::FaultInjection::Reset();
  device::FaultInjection::FailCall(1, kAllocationFailure);
  std::shared_ptr<Extent> c = pool_->Create(1000, Pattern(3));
  EXPECT_TRUE(a->IsLost());
  EXPECT_FALSE(b->IsLost());
  std::optional<ExtentPin> pin = c->TryPin();
  EXPECT_TRUE(ReadBack(*device_, *pin) == PatternBytes(3, 1000));
}

TEST_P(DevicePoolTest, ADeviceOutOfMemoryWithNothingToEvictIsAnError) {
  device::FaultInjection::Reset();
  device::FaultInjection::FailCall(1, kAllocationFailure);
  EXPECT_THROW(pool_->Create(1000, Pattern(1)), OutOfMemory);
  EXPECT_EQ(pool_->Used(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Device, DevicePoolTest, testing::Values(ExtentPool::Placement::Device));

TEST_P(ExtentPoolTest, ConcurrentPinsEvictionsAndDrops) {
  constexpr size_t kExtents = 16;
  constexpr size_t kBytes = 10000;
  pool_->SetLimit(kBytes * kExtents / 2);
  std::atomic<bool> stop = false;
  std::thread evictor([&] {
    std::mt19937 random(1);
    while (!stop) {
      if (random() % 4 == 0) {
        pool_->EvictAll();
      }
      allocator_->DropUnpinned();
      try {
        ScratchReservation scratch = pool_->Reserve(random() % (kBytes * 4));
      } catch (const OutOfMemory&) {
      }
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> readers;
  std::atomic<size_t> pinned = 0;
  for (size_t reader = 0; reader < 3; reader++) {
    readers.emplace_back([&, reader] {
      std::mt19937 random(static_cast<uint32_t>(reader));
      std::vector<std::shared_ptr<Extent>> extents(kExtents);
      for (size_t round = 0; round < 600; round++) {
        size_t i = random() % kExtents;
        std::optional<ExtentPin> pin;
        if (extents[i] != nullptr) {
          pin = extents[i]->TryPin();
        }
        if (!pin.has_value()) {
          try {
            pin.emplace(pool_->CreatePinned(kBytes, Pattern(i)));
            extents[i] = pin->PinnedExtent();
          } catch (const OutOfMemory&) {
            continue;
          }
        }
        ASSERT_TRUE(ReadBack(*device_, *pin) == PatternBytes(i, kBytes));
        pinned++;
      }
    });
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
  stop = true;
  evictor.join();
  EXPECT_GT(pinned, 0u);
  pool_->EvictAll();
  EXPECT_EQ(pool_->Used(), 0u);
}

}  // namespace
}  // namespace margay::memory
