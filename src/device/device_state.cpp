#include "device/device_state.hpp"

#include <utility>

namespace margay::device {

DeviceState::DeviceState(FoundDevice device)
    : CallTarget(device.info.name, true), device_(std::move(device)) {
  const cl_device_id id = device_.id;
  context_ = Create(Api().CreateContext, nullptr, 1, &id, nullptr, nullptr);
  ProcessExit::HandleAfter(ProcessExit::Stage::Context);
}

DeviceState::~DeviceState() {
  for (cl_command_queue queue : idle_queues_) {
    ReleaseQueue(queue);
  }
  CallQuietly(Api().ReleaseContext, context_);
}

bool DeviceState::IsZeroCopy() const {
  return Info().kind == DeviceKind::Cpu && Info().unified_memory;
}

cl_command_queue DeviceState::TakeQueue() {
  if (const cl_command_queue queue = TakeIdleQueue()) {
    return queue;
  }
  const cl_command_queue queue =
      Create(Api().CreateCommandQueue, context_, Id(), CL_QUEUE_PROFILING_ENABLE);
  ProcessExit::AddQueue(Api(), queue);
  return queue;
}

cl_command_queue DeviceState::TakeQueueQuietly() noexcept {
  if (const cl_command_queue queue = TakeIdleQueue()) {
    return queue;
  }
  const cl_command_queue queue =
      CallQuietly(Api().CreateCommandQueue, context_, Id(), CL_QUEUE_PROFILING_ENABLE, nullptr);
  if (queue != nullptr) {
    ProcessExit::AddQueue(Api(), queue);
  }
  return queue;
}

void DeviceState::ReleaseQueue(cl_command_queue queue) noexcept {
  ProcessExit::RemoveQueue(queue);
  CallQuietly(Api().ReleaseCommandQueue, queue);
}

cl_command_queue DeviceState::TakeIdleQueue() noexcept {
  const std::lock_guard lock(mutex_);
  if (idle_queues_.empty()) {
    return nullptr;
  }
  const cl_command_queue queue = idle_queues_.back();
  idle_queues_.pop_back();
  return queue;
}

void DeviceState::ReturnQueue(cl_command_queue queue) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    idle_queues_.push_back(queue);
  } catch (...) {
    ReleaseQueue(queue);
  }
}

}  // namespace margay::device
