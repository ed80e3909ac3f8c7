#include "duckdb/execution_turns.hpp"

#include <chrono>

#include "execute/part.hpp"

namespace margay::integration {
namespace {

//! How often one that waits looks for interrupts.
constexpr auto kWaitStep = std::chrono::milliseconds(10);

}  // namespace

bool ExecutionTurns::CanHave(Kind kind) const {
  return !is_alone_ && (kind == Kind::Alone ? together_ == 0 : waiting_alone_ == 0);
}

std::unique_ptr<ExecutionTurns::Turn> ExecutionTurns::Give(Kind kind) {
  std::unique_ptr<Turn> turn(new Turn(*this, kind));
  if (kind == Kind::Alone) {
    is_alone_ = true;
  } else {
    together_++;
  }
  return turn;
}

std::unique_ptr<ExecutionTurns::Turn> ExecutionTurns::Take(
    Kind kind, const std::function<bool()>& is_interrupted) {
  const size_t waits_alone = kind == Kind::Alone ? 1 : 0;
  std::unique_lock<std::mutex> lock(mutex_);
  waiting_alone_ += waits_alone;
  while (!changed_.wait_for(lock, kWaitStep, [&] { return CanHave(kind); })) {
    if (is_interrupted()) {
      waiting_alone_ -= waits_alone;
      changed_.notify_all();
      throw execute::Interrupted();
    }
  }
  waiting_alone_ -= waits_alone;
  return Give(kind);
}

std::unique_ptr<ExecutionTurns::Turn> ExecutionTurns::TryTogether() {
  std::lock_guard<std::mutex> guard(mutex_);
  return CanHave(Kind::Together) ? Give(Kind::Together) : nullptr;
}

ExecutionTurns::Turn::~Turn() {
  std::lock_guard<std::mutex> guard(turns_.mutex_);
  if (kind_ == Kind::Alone) {
    turns_.is_alone_ = false;
  } else {
    turns_.together_--;
  }
  turns_.changed_.notify_all();
}

}  // namespace margay::integration
