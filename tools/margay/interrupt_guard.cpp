#include "interrupt_guard.hpp"

#include <unistd.h>

#include <atomic>

#include "session.hpp"

namespace margay::tool {
namespace {

//! What shells report for a program that Ctrl-C ended.
constexpr int kEndedByInterrupt = 128 + SIGINT;

std::atomic<Session*> guarded_session = nullptr;
std::atomic<bool> was_raised = false;
static_assert(std::atomic<Session*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may not take locks");

void HandleInterrupt(int) {
  if (was_raised.exchange(true)) {
    _exit(kEndedByInterrupt);
  }
  if (Session* session = guarded_session.load()) {
    session->Interrupt();
  }
}

}  // namespace

InterruptGuard::InterruptGuard(Session& session) {
  was_raised = false;
  guarded_session = &session;
  struct sigaction action = {};
  action.sa_handler = HandleInterrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &previous_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_, nullptr);
  guarded_session = nullptr;
}

bool InterruptGuard::WasRaised() const {
  return was_raised;
}

}  // namespace margay::tool
