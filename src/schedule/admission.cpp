#include "schedule/admission.hpp"

#include <chrono>

namespace margay::schedule {

namespace {

//! How often one that waits looks for interrupts.
constexpr auto kWaitStep = std::chrono::milliseconds(10);

}  // namespace

bool Admission::CanEnter(Kind kind) const {
  return !is_alone_ && (kind == Kind::Alone ? together_ == 0 : waiting_alone_ == 0);
}

std::unique_ptr<Admission::Ticket> Admission::Admit(Kind kind) {
  std::unique_ptr<Ticket> ticket(new Ticket(*this, kind));
  if (kind == Kind::Alone)
    is_alone_ = true;
  else
    together_++;
  return ticket;
}

std::unique_ptr<Admission::Ticket> Admission::Enter(Kind kind,
                                                    const std::function<bool()>& is_interrupted) {
  std::unique_lock lock(mutex_);
  const size_t waiting = kind == Kind::Alone ? 1 : 0;
  waiting_alone_ += waiting;
  bool can_enter = false;
  try {
    can_enter = WaitFor(lock, kind, is_interrupted);
  } catch (...) {
    waiting_alone_ -= waiting;
    changed_.notify_all();
    throw;
  }
  waiting_alone_ -= waiting;
  if (can_enter)
    return Admit(kind);
  changed_.notify_all();
  return nullptr;
}

bool Admission::WaitFor(std::unique_lock<std::mutex>& lock, Kind kind,
                        const std::function<bool()>& is_interrupted) {
  while (!changed_.wait_for(lock, kWaitStep, [&] { return CanEnter(kind); })) {
    if (is_interrupted())
      return false;
  }
  return true;
}

std::unique_ptr<Admission::Ticket> Admission::TryEnterTogether() {
  const std::lock_guard lock(mutex_);
  return CanEnter(Kind::Together) ? Admit(Kind::Together) : nullptr;
}

Admission::Ticket::~Ticket() {
  const std::lock_guard lock(admission_.mutex_);
  if (kind_ == Kind::Alone)
    admission_.is_alone_ = false;
  else
    admission_.together_--;
  admission_.changed_.notify_all();
}

}  // namespace margay::schedule
