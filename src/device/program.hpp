#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "device/kernel.hpp"
#include "device/program_statistics.hpp"

struct _cl_program;

namespace margay::device {

class DeviceState;

//! A built program of one device. Thread-safe.
class Program {
 public:
  //! Takes ownership of `handle`. For this layer only; others ask the ProgramCache.
  Program(std::shared_ptr<DeviceState> state, _cl_program* handle, ProgramStatistics statistics);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  //! A kernel of its own for the caller. Throws DeviceError, also where there is no such kernel.
  Kernel CreateKernel(const std::string& name) const;

  ProgramStatistics Statistics() const;

  //! Counts one more use. For the ProgramCache only.
  void CountUse() { uses_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::shared_ptr<DeviceState> state_;
  _cl_program* handle_;
  //! All but `uses`.
  ProgramStatistics statistics_;
  std::atomic<uint64_t> uses_{0};
};

}  // namespace margay::device
