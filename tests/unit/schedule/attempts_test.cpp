// How often, and how, a part is tried on a device with little memory.
#include "schedule/attempts.hpp"

#include <gtest/gtest.h>

namespace margay::schedule {
namespace {

using Kind = Admission::Kind;

Attempts InMode(Mode mode, uint64_t partitions = 1) {
  Settings settings;
  settings.mode = mode;
  settings.partitions = partitions;
  return Attempts(settings);
}

TEST(Attempts, InAutoModeThereIsOne) {
  for (const Failure failure : {Failure::ImageLost, Failure::OutOfMemory, Failure::Other})
    EXPECT_FALSE(InMode(Mode::Auto).TryAgainAfter(failure, false));
}

TEST(Attempts, AFailedDeviceIsNotTriedAgain) {
  EXPECT_FALSE(InMode(Mode::Force).TryAgainAfter(Failure::Other, false));
}

TEST(Attempts, LackOfMemoryIsMetAloneAndThenInPartitions) {
  Attempts attempts = InMode(Mode::Force);
  EXPECT_EQ(attempts.Kind(), Kind::Together);
  ASSERT_TRUE(attempts.TryAgainAfter(Failure::OutOfMemory, false));
  EXPECT_EQ(attempts.Kind(), Kind::Alone);
  EXPECT_EQ(attempts.Partitions(), 1U);
  for (const uint64_t partitions : {4, 16, 64}) {
    ASSERT_TRUE(attempts.TryAgainAfter(Failure::OutOfMemory, partitions > 4));
    EXPECT_EQ(attempts.Kind(), Kind::Alone);
    EXPECT_EQ(attempts.Partitions(), partitions);
  }
  EXPECT_FALSE(attempts.TryAgainAfter(Failure::OutOfMemory, true));
}

TEST(Attempts, APlanThatCantBePartitionedIsNotTriedInMore) {
  Attempts attempts = InMode(Mode::Force);
  ASSERT_TRUE(attempts.TryAgainAfter(Failure::OutOfMemory, false));
  ASSERT_TRUE(attempts.TryAgainAfter(Failure::OutOfMemory, false));
  EXPECT_EQ(attempts.Partitions(), 4U);
  EXPECT_FALSE(attempts.TryAgainAfter(Failure::OutOfMemory, false));
}

TEST(Attempts, LostColumnsAreEncodedAgainThreeTimesForEachNumberOfPartitions) {
  Attempts attempts = InMode(Mode::Force, 16);
  EXPECT_EQ(attempts.Partitions(), 16U);
  for (const uint64_t partitions : {16, 16, 64, 64, 64}) {
    ASSERT_TRUE(attempts.TryAgainAfter(Failure::ImageLost, true));
    EXPECT_EQ(attempts.Partitions(), partitions);
    EXPECT_EQ(attempts.Kind(), Kind::Alone);
  }
  EXPECT_FALSE(attempts.TryAgainAfter(Failure::ImageLost, true));
}

}  // namespace
}  // namespace margay::schedule
