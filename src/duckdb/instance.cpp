#include "duckdb/instance.hpp"

#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/connection_manager.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/planner/extension_callback.hpp"

namespace margay::integration {
namespace {

//! Ends background work before the last connection closes; see BackgroundBuilder.
class ClosedConnections : public duckdb::ExtensionCallback {
 public:
  void OnConnectionClosed(duckdb::ClientContext& context) override {
    try {
      if (duckdb::ConnectionManager::Get(context).GetConnectionCount() > 1) {
        return;
      }
      auto instance = Instance::Get(context);
      if (instance) {
        instance->builder.Cancel();
      }
    } catch (...) {
      // Callbacks may not throw; the job then ends by itself a little later.
    }
  }
};

}  // namespace

Instance::Instance(duckdb::DatabaseInstance& database)
    : tracker(std::make_shared<SnapshotTracker>()),
      devices(database),
      images(tracker, counters),
      builder(database) {}

duckdb::shared_ptr<Instance> Instance::Get(duckdb::DatabaseInstance& database) {
  return database.GetObjectCache().Get<Instance>(ObjectType());
}

duckdb::shared_ptr<Instance> Instance::Get(duckdb::ClientContext& context) {
  return Get(*context.db);
}

bool Instance::Create(duckdb::DatabaseInstance& database) {
  if (Get(database)) {
    return false;
  }
  auto instance = duckdb::make_shared_ptr<Instance>(database);
  database.GetObjectCache().Put(ObjectType(), instance);
  instance->tracker->Register(database);
  duckdb::ExtensionCallback::Register(duckdb::DBConfig::GetConfig(database),
                                      duckdb::make_shared_ptr<ClosedConnections>());
  return true;
}

void Instance::DropDevice(const device::Device& device) {
  counters.devices_lost++;
  images.DropDevice(device);
  devices.Drop(device);
}

}  // namespace margay::integration
