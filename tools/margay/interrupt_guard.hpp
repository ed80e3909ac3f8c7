#pragma once

#include <csignal>

namespace margay::tool {

class Session;

//! While it lives, Ctrl-C interrupts the running statement of a session instead of ending the
//! program; a second Ctrl-C ends the program at once. One at a time.
class InterruptGuard {
 public:
  //! `session` outlives the guard.
  explicit InterruptGuard(Session& session);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  //! Ctrl-C was pressed since this guard was made.
  bool WasRaised() const;

 private:
  struct sigaction previous_ = {};
};

}  // namespace margay::tool
