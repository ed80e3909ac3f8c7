#include "device/program.hpp"

#include <utility>

#include "device/device_state.hpp"

namespace margay::device {

Program::Program(std::shared_ptr<DeviceState> state, _cl_program* handle,
                 ProgramStatistics statistics)
    : state_(std::move(state)), handle_(handle), statistics_(std::move(statistics)) {}

Program::~Program() {
  CallQuietly(state_->Api().ReleaseProgram, handle_);
}

Kernel Program::CreateKernel(const std::string& name) const {
  return Kernel(state_, handle_, name);
}

ProgramStatistics Program::Statistics() const {
  ProgramStatistics statistics = statistics_;
  statistics.uses = uses_.load(std::memory_order_relaxed);
  return statistics;
}

}  // namespace margay::device
