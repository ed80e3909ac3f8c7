#include "device/command_clock.hpp"

#include <gtest/gtest.h>

namespace margay::device {
namespace {

TEST(CommandClock, EverythingIsBehindWithoutQueues) {
  CommandClock clock;
  EXPECT_GE(clock.Behind(), clock.Tick());
}

TEST(CommandClock, WaitsForCommandsOfBefore) {
  CommandClock clock;
  const auto first = clock.Register(), second = clock.Register();
  first->Begin(clock);
  const uint64_t moment = clock.Tick();
  EXPECT_LT(clock.Behind(), moment) << "the first queue is at work";
  second->Begin(clock);
  first->End();
  EXPECT_GE(clock.Behind(), moment) << "the second queue's commands came later";
  const uint64_t later = clock.Tick();
  EXPECT_LT(clock.Behind(), later);
  EXPECT_GE(clock.Behind(), moment);
  second->End();
  EXPECT_GE(clock.Behind(), later);
}

TEST(CommandClock, ForgetsQueuesThatAreGone) {
  CommandClock clock;
  auto queue = clock.Register();
  queue->Begin(clock);
  const uint64_t moment = clock.Tick();
  queue.reset();
  EXPECT_GE(clock.Behind(), moment);
}

}  // namespace
}  // namespace margay::device
