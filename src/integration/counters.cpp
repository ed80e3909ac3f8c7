#include "integration/counters.hpp"

#include "execute/part.hpp"

namespace margay::integration {

void Counters::Add(const execute::RunStatistics& run) {
  rows_read += run.rows_in;
  bytes_touched += run.bytes_touched;
  extents_restored += run.extents_restored;
  structures_built += run.structures_built;
  structures_reused += run.structures_reused;
  kernel_nanoseconds += Nanoseconds(run.kernel_milliseconds);
  launches += run.launches;
  host_synchronisations += run.synchronisations;
  bind_nanoseconds += Nanoseconds(run.host.bind);
  enqueue_nanoseconds += Nanoseconds(run.host.enqueue);
  wait_nanoseconds += Nanoseconds(run.host.wait);
  fetch_nanoseconds += Nanoseconds(run.host.fetch);
}

std::vector<std::pair<std::string, uint64_t>> Counters::List() const {
  return {{"device_executions", device_executions},
          {"duckdb_executions", duckdb_executions},
          {"runtime_fallbacks", runtime_fallbacks},
          {"images_built", images_built},
          {"private_images_built", private_images_built},
          {"columns_built", columns_built},
          {"bytes_built", bytes_built},
          {"columns_lost", columns_lost},
          {"extents_restored", extents_restored},
          {"executions_alone", executions_alone},
          {"partitioned_executions", partitioned_executions},
          {"structures_built", structures_built},
          {"structures_reused", structures_reused},
          {"parts_lowered", parts_lowered},
          {"kernels_written", kernels_written},
          {"kernels_compiled", kernels_compiled},
          {"rows_read", rows_read},
          {"bytes_touched", bytes_touched},
          {"kernel_nanoseconds", kernel_nanoseconds},
          {"launches", launches},
          {"host_synchronisations", host_synchronisations},
          {"lower_nanoseconds", lower_nanoseconds},
          {"decide_nanoseconds", decide_nanoseconds},
          {"bind_nanoseconds", bind_nanoseconds},
          {"enqueue_nanoseconds", enqueue_nanoseconds},
          {"wait_nanoseconds", wait_nanoseconds},
          {"fetch_nanoseconds", fetch_nanoseconds},
          {"background_jobs", background_jobs},
          {"devices_lost", devices_lost}};
}

}  // namespace margay::integration
