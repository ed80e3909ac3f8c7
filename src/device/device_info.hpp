#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace margay::device {

enum class DeviceKind { Cpu, Gpu, Accelerator, Other };

//! The kind as users write it: "cpu", "gpu", "accelerator", "other".
std::string_view KindName(DeviceKind kind);

//! What is known about a device before it is opened. Immutable once the registry has listed it.
struct DeviceInfo {
  //! Position in DeviceRegistry::Devices().
  size_t index = 0;
  std::string name;
  std::string vendor;
  std::string platform;
  std::string version;
  std::string driver_version;
  DeviceKind kind = DeviceKind::Other;
  uint32_t compute_units = 0;
  //! Bytes.
  uint64_t global_memory = 0;
  //! Bytes of the largest single buffer.
  uint64_t largest_buffer = 0;
  //! Bytes of local memory per work-group.
  uint64_t local_memory = 0;
  //! Work-items in the largest work-group.
  uint32_t largest_work_group = 0;
  //! Host and device share their memory.
  bool unified_memory = false;
  //! Oclgrind, which runs what a queue has when somebody waits for that queue.
  bool is_simulator = false;
  bool supports_double = false;
  bool supports_int64_atomics = false;
  //! Empty when the device is usable, else a sentence that says why not.
  std::string problem;

  bool IsUsable() const { return problem.empty(); }
};

}  // namespace margay::device
