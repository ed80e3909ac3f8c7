#include "device/event.hpp"

#include <utility>

#include "device/device_error.hpp"
#include "device/device_state.hpp"

namespace margay::device {

Event::Event(std::shared_ptr<DeviceState> state, _cl_event* handle)
    : state_(std::move(state)), handle_(handle) {}

Event::~Event() {
  if (handle_ != nullptr) {
    CallQuietly(state_->Api().ReleaseEvent, handle_);
  }
}

Event::Event(Event&& other) noexcept
    : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(handle_, other.handle_);
  return *this;
}

void Event::Wait() const {
  if (handle_ == nullptr) {
    return;
  }
  try {
    state_->Call(state_->Api().WaitForEvents, 1, &handle_);
  } catch (const DeviceError& error) {
    // The command itself failed; IsComplete() throws with the command's own error.
    if (error.Code() == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
      IsComplete();
    }
    throw;
  }
}

bool Event::IsComplete() const {
  if (handle_ == nullptr) {
    return true;
  }
  cl_int status = CL_QUEUED;
  state_->Call(state_->Api().GetEventInfo, handle_, CL_EVENT_COMMAND_EXECUTION_STATUS,
               sizeof(status), &status, nullptr);
  if (status < 0) {
    state_->CheckResult("the execution of a command", status);
  }
  return status == CL_COMPLETE;
}

uint64_t Event::KernelNanoseconds() const {
  if (handle_ == nullptr) {
    return 0;
  }
  Wait();
  cl_ulong start = 0;
  cl_ulong end = 0;
  state_->Call(state_->Api().GetEventProfilingInfo, handle_, CL_PROFILING_COMMAND_START,
               sizeof(start), &start, nullptr);
  state_->Call(state_->Api().GetEventProfilingInfo, handle_, CL_PROFILING_COMMAND_END, sizeof(end),
               &end, nullptr);
  return end > start ? end - start : 0;
}

void Event::Drain() const noexcept {
  if (handle_ != nullptr) {
    CallQuietly(state_->Api().WaitForEvents, 1u, &handle_);
  }
}

}  // namespace margay::device
