#include "integration/execution_turns.hpp"

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
  std::unique_lock<std::mutex> lock(mutex_);
  if (kind == Kind::Together) {
    Wait(lock, kind, is_interrupted);
    return Give(kind);
  }
  waiting_alone_++;
  try {
    Wait(lock, kind, is_interrupted);
  } catch (...) {
    waiting_alone_--;
    changed_.notify_all();
    throw;
  }
  waiting_alone_--;
  return Give(kind);
}

void ExecutionTurns::Wait(std::unique_lock<std::mutex>& lock, Kind kind,
                          const std::function<bool()>& is_interrupted) {
  while (!changed_.wait_for(lock, kWaitStep, [&] { return CanHave(kind); })) {
    if (is_interrupted()) {
      throw execute::Interrupted();
    }
  }
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
