#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/event.hpp"
#include "device/queue.hpp"
#include "execute/join_buffers.hpp"
#include "execute/kept_table.hpp"

namespace margay::execute {

//! What a kernel's argument `faults` holds.
struct KernelReport {
  int32_t faults = 0;
  uint32_t groups = 0;
};

//! A launch that the host has not waited for.
struct PendingLaunch {
  std::string kernel;  //!< for people
  device::Event end;
  std::unique_ptr<KernelReport> report;  //!< there when `end` is behind
};

//! What the kernels of one run leave for those that come behind them.
struct RunTables {
  JoinBuffers joins;
  std::map<size_t, KeyRange> key_ranges;  //!< of join tables with a ranged key, by number
  std::vector<std::shared_ptr<const KeptTable>> kept;  //!< by table; null for tables of images
  device::Queue* queue = nullptr;                      //!< of the execution, while it runs
  std::vector<PendingLaunch> pending;                  //!< in their order
};

}  // namespace margay::execute
