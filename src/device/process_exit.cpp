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
  std::thread([done, queues] {
    for (const auto& [queue, api] : queues)
      api->Finish.pointer(queue);
    done->set_value();
  }).detach();
  future.wait_until(end);
}

void EndCalls() {
  ExitState& state = State();
  if (state.is_ending.exchange(true))
    return;
  const Clock::time_point end = Clock::now() + kLongestWait;
  WaitUntil(end, [&] { return state.calls == 0; });
  try {
    FinishQueues(end);
  } catch (...) {
    // Without a thread to spare the runtime has to cope.
  }
  state.is_over = true;
}

//! The process that registered the handler: a forked child has none of its threads.
pid_t& Owner() {
  static pid_t owner = getpid();
  return owner;
}

void AtExit() {
  if (getpid() == Owner())
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
  Owner();
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
  Owner();
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
