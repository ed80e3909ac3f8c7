#include "integration/counters.hpp"

namespace margay::integration {

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
          {"turns_alone", turns_alone},
          {"partitioned_executions", partitioned_executions},
          {"structures_built", structures_built},
          {"structures_reused", structures_reused},
          {"parts_generated", parts_generated},
          {"kernels_compiled", kernels_compiled},
          {"rows_read", rows_read},
          {"bytes_touched", bytes_touched},
          {"kernel_nanoseconds", kernel_nanoseconds},
          {"background_jobs", background_jobs},
          {"devices_lost", devices_lost}};
}

}  // namespace margay::integration
