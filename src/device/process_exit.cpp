#include "device/process_exit.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "device/exit_watch.hpp"

namespace margay::device {

namespace {

using Clock = std::chrono::steady_clock;

//! A compiler may be at work for seconds; nobody waits for a process to end much longer.
constexpr std::chrono::seconds kLongestWait{5};
constexpr std::chrono::milliseconds kPause{1};

//! Never destroyed: threads use it until the process is gone.
struct ExitState {
  std::atomic<int> calls{0};           //!< under way
  std::atomic<bool> is_ending{false};  //!< no call may begin
  std::atomic<bool> is_over{false};    //!< the handler has done its work
  std::atomic<pid_t> owner{0};         //!< the process that has loaded a runtime, which no child is
  std::array<std::once_flag, 4> registered;
  std::mutex mutex;
  std::map<cl_command_queue, const OpenClApi*> queues;
};

ExitState& State() {
  static ExitState* const state = new ExitState();
  return *state;
}

template <typename Condition>
void WaitUntil(Clock::time_point end, const Condition& is_met) {
  while (!is_met() && Clock::now() < end)
    std::this_thread::sleep_for(kPause);
}

void FinishQueues(Clock::time_point end) {
  const auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  std::map<cl_command_queue, const OpenClApi*> queues;
  {
    const std::lock_guard lock(State().mutex);
    queues = State().queues;
  }
  // A kernel that takes long must not hold the process up.
  std::thread([done, queues, end] {
    for (const auto& [queue, api] : queues) {
      // Later the runtime may be gone.
      if (Clock::now() < end)
        api->Finish.pointer(queue);
    }
    done->set_value();
  }).detach();
  future.wait_until(end);
}

void EndCalls() {
  ExitState& state = State();
  const Clock::time_point end = Clock::now() + kLongestWait;
  if (state.is_ending.exchange(true)) {
    WaitUntil(end, [&] { return state.is_over.load(); });
    return;
  }
  WaitUntil(end, [&] { return state.calls == 0; });
  try {
    if (state.calls == 0)
      FinishQueues(end);
  } catch (...) {
    // Without a thread to spare the runtime has to cope.
  }
  state.is_over = true;
}

void AtExit() {
  if (getpid() == State().owner)
    EndCalls();
}

//! exit() destroys what is local to the thread that calls it before it runs any handler, also those
//! that a runtime registers while its compiler is at work for the first time.
struct MainThreadGuard {
  ~MainThreadGuard() { AtExit(); }
};

}  // namespace

void WatchMainThread() {
  if (gettid() != getpid())
    return;
  thread_local const MainThreadGuard guard;
  static_cast<void>(guard);
}

CallPermit::CallPermit() noexcept {
  ExitState& state = State();
  state.calls++;
  if (!state.is_ending)
    return;
  state.calls--;
  is_given_ = false;
  // What the caller gives up now may be memory that a kernel still uses.
  while (!state.is_over)
    std::this_thread::sleep_for(kPause);
}

CallPermit::~CallPermit() {
  if (is_given_)
    State().calls--;
}

void ProcessExit::HandleAfter(Stage stage) {
  // A forked child that loads a runtime of its own has no calls of its parent's under way.
  if (stage == Stage::Load && State().owner.exchange(getpid()) != getpid())
    State().calls = 0;
  std::call_once(State().registered[static_cast<size_t>(stage)], [] { std::atexit(AtExit); });
}

void ProcessExit::AddQueue(const OpenClApi& api, cl_command_queue queue) noexcept {
  try {
    const std::lock_guard lock(State().mutex);
    State().queues.emplace(queue, &api);
  } catch (...) {
    // Without memory for it, it is not waited for.
  }
}

void ProcessExit::RemoveQueue(cl_command_queue queue) noexcept {
  const std::lock_guard lock(State().mutex);
  State().queues.erase(queue);
}

}  // namespace margay::device
