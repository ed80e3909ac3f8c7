#include "integration/margay_extension.hpp"

#include "device/exit_watch.hpp"
#include "integration/background_builder.hpp"
#include "integration/functions.hpp"
#include "integration/image/snapshot_tracker.hpp"
#include "integration/instance.hpp"
#include "integration/optimizer_hook.hpp"
#include "integration/program_function.hpp"
#include "integration/settings.hpp"

namespace margay {

void Register(duckdb::DatabaseInstance& database) {
  // A process may end while a device is at work.
  device::WatchMainThread();
  // What Margay holds for the database: devices, images, background work, counters.
  const auto instance = integration::Instance::Create(database);
  if (!instance) {
    return;
  }
  // Follows the transactions of all connections: which images are valid for a reader.
  instance->tracker->Register(database);
  // The last connection that closes ends what is being encoded and compiled.
  integration::BackgroundBuilder::Register(database);
  // margay_mode, margay_device, margay_device_memory, ...
  integration::RegisterSettings(database);
  // margay_devices(), margay_cache(), margay_counters(), margay_kernels(), margay_evict()
  integration::RegisterFunctions(database);
  // margay_program('SELECT ...')
  integration::RegisterProgramFunction(database);
  // Puts Margay's operators into optimized plans.
  integration::RegisterOptimizerHook(database);
}

}  // namespace margay
