#include "integration/execution_turns.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "execute/part.hpp"

namespace margay::integration {
namespace {

using Kind = ExecutionTurns::Kind;

bool Never() {
  return false;
}

//! Waits until one waits for a turn alone.
void WaitUntilOthersHaveToWait(ExecutionTurns& turns) {
  while (turns.TryTogether()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ExecutionTurns, ManyAreTogether) {
  ExecutionTurns turns;
  const auto first = turns.Take(Kind::Together, Never);
  const auto second = turns.Take(Kind::Together, Never);
  EXPECT_NE(turns.TryTogether(), nullptr);
}

TEST(ExecutionTurns, OneIsAlone) {
  ExecutionTurns turns;
  auto alone = turns.Take(Kind::Alone, Never);
  EXPECT_EQ(turns.TryTogether(), nullptr);
  std::atomic<bool> has_turn{false};
  std::thread other([&] {
    const auto turn = turns.Take(Kind::Together, Never);
    has_turn = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(has_turn);
  alone.reset();
  other.join();
  EXPECT_TRUE(has_turn);
  EXPECT_NE(turns.TryTogether(), nullptr);
}

TEST(ExecutionTurns, NobodyOvertakesTheOneThatWaitsToBeAlone) {
  ExecutionTurns turns;
  auto together = turns.Take(Kind::Together, Never);
  std::atomic<bool> has_turn{false};
  std::thread other([&] {
    const auto turn = turns.Take(Kind::Alone, Never);
    has_turn = true;
  });
  WaitUntilOthersHaveToWait(turns);
  EXPECT_FALSE(has_turn);
  together.reset();
  other.join();
  EXPECT_TRUE(has_turn);
}

TEST(ExecutionTurns, AnInterruptEndsTheWait) {
  ExecutionTurns turns;
  auto together = turns.Take(Kind::Together, Never);
  std::atomic<bool> is_interrupted{false};
  std::thread other([&] {
    EXPECT_THROW(turns.Take(Kind::Alone, [&] { return is_interrupted.load(); }),
                 execute::Interrupted);
  });
  WaitUntilOthersHaveToWait(turns);
  is_interrupted = true;
  other.join();
  EXPECT_NE(turns.TryTogether(), nullptr) << "who does not wait any more holds up nobody";
  together.reset();
  const auto alone = turns.Take(Kind::Alone, Never);
  EXPECT_THROW(turns.Take(Kind::Together, [] { return true; }), execute::Interrupted);
}

}  // namespace
}  // namespace margay::integration
