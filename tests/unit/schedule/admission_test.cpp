#include "schedule/admission.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace margay::schedule {
namespace {

using Kind = Admission::Kind;

bool Never() {
  return false;
}

//! Waits until one waits to be alone.
void WaitUntilOthersHaveToWait(Admission& admission) {
  while (admission.TryEnterTogether()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Admission, ManyAreTogether) {
  Admission admission;
  const auto first = admission.Enter(Kind::Together, Never);
  const auto second = admission.Enter(Kind::Together, Never);
  EXPECT_NE(admission.TryEnterTogether(), nullptr);
}

TEST(Admission, OneIsAlone) {
  Admission admission;
  auto alone = admission.Enter(Kind::Alone, Never);
  EXPECT_EQ(admission.TryEnterTogether(), nullptr);
  std::atomic<bool> is_admitted{false};
  std::thread other([&] {
    const auto ticket = admission.Enter(Kind::Together, Never);
    is_admitted = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(is_admitted);
  alone.reset();
  other.join();
  EXPECT_TRUE(is_admitted);
  EXPECT_NE(admission.TryEnterTogether(), nullptr);
}

TEST(Admission, NobodyOvertakesTheOneThatWaitsToBeAlone) {
  Admission admission;
  auto together = admission.Enter(Kind::Together, Never);
  std::atomic<bool> is_admitted{false};
  std::thread other([&] {
    const auto ticket = admission.Enter(Kind::Alone, Never);
    is_admitted = true;
  });
  WaitUntilOthersHaveToWait(admission);
  EXPECT_FALSE(is_admitted);
  together.reset();
  other.join();
  EXPECT_TRUE(is_admitted);
}

TEST(Admission, AnInterruptEndsTheWait) {
  Admission admission;
  auto together = admission.Enter(Kind::Together, Never);
  std::atomic<bool> is_interrupted{false};
  std::thread other([&] {
    EXPECT_EQ(admission.Enter(Kind::Alone, [&] { return is_interrupted.load(); }), nullptr);
  });
  WaitUntilOthersHaveToWait(admission);
  is_interrupted = true;
  other.join();
  EXPECT_NE(admission.TryEnterTogether(), nullptr) << "who does not wait any more holds up nobody";
  together.reset();
  const auto alone = admission.Enter(Kind::Alone, Never);
  EXPECT_EQ(admission.Enter(Kind::Together, [] { return true; }), nullptr);
}

}  // namespace
}  // namespace margay::schedule
