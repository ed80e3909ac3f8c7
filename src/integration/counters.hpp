#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace margay::execute {
struct RunStatistics;
}

namespace margay::integration {

inline uint64_t Nanoseconds(double milliseconds) {
  return static_cast<uint64_t>(milliseconds * 1e6);
}

//! What Margay did for one database since it was loaded. Shown by margay_counters(). Thread-safe.
struct Counters {
  std::atomic<uint64_t> device_executions{0};  //!< parts that a device answered
  std::atomic<uint64_t> duckdb_executions{0};  //!< parts that DuckDB answered
  std::atomic<uint64_t> runtime_fallbacks{0};  //!< of those, after a device had started
  std::atomic<uint64_t> images_built{0};
  std::atomic<uint64_t> private_images_built{0};  //!< for one execution, never shared
  std::atomic<uint64_t> columns_built{0};
  std::atomic<uint64_t> bytes_built{0};
  std::atomic<uint64_t> columns_lost{0};            //!< found dropped when they were needed
  std::atomic<uint64_t> extents_restored{0};        //!< of columns, encoded again while a query ran
  std::atomic<uint64_t> executions_alone{0};        //!< executions that had to be alone on a device
  std::atomic<uint64_t> partitioned_executions{0};  //!< by devices, part of the rows after part
  std::atomic<uint64_t> structures_built{0};        //!< join tables made, to be kept
  std::atomic<uint64_t> structures_reused{0};       //!< join tables that were found
  std::atomic<uint64_t> parts_lowered{0};           //!< physical programs made
  std::atomic<uint64_t> kernels_written{0};         //!< of which there was no source
  std::atomic<uint64_t> kernels_compiled{0};        //!< or loaded from the disk
  std::atomic<uint64_t> rows_read{0};               //!< by kernels
  std::atomic<uint64_t> bytes_touched{0};           //!< by kernels
  //! Time that kernels ran, by the devices' own clocks.
  std::atomic<uint64_t> kernel_nanoseconds{0};
  std::atomic<uint64_t> launches{0};               //!< of kernels
  std::atomic<uint64_t> host_synchronisations{0};  //!< times that the host waited for a device
  //! Time of the host in executions on a device: see PlacementTimes and execute::HostTimes.
  std::atomic<uint64_t> lower_nanoseconds{0};
  std::atomic<uint64_t> decide_nanoseconds{0};
  std::atomic<uint64_t> bind_nanoseconds{0};
  std::atomic<uint64_t> enqueue_nanoseconds{0};
  std::atomic<uint64_t> wait_nanoseconds{0};
  std::atomic<uint64_t> fetch_nanoseconds{0};
  std::atomic<uint64_t> background_jobs{0};
  std::atomic<uint64_t> devices_lost{0};

  //! Adds what a run on a device did.
  void Add(const execute::RunStatistics& run);

  //! All counters by name, in the order above.
  std::vector<std::pair<std::string, uint64_t>> List() const;
};

}  // namespace margay::integration
