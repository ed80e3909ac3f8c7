#include "integration/instance.hpp"

#include "duckdb/main/client_context.hpp"
#include "duckdb/main/database.hpp"

namespace margay::integration {

Instance::Instance(duckdb::DatabaseInstance& database)
    : tracker(std::make_shared<SnapshotTracker>()),
      devices(database),
      images(counters),
      builder(database) {}

duckdb::shared_ptr<Instance> Instance::Get(duckdb::DatabaseInstance& database) {
  return database.GetObjectCache().Get<Instance>(ObjectType());
}

duckdb::shared_ptr<Instance> Instance::Get(duckdb::ClientContext& context) {
  return Get(*context.db);
}

duckdb::shared_ptr<Instance> Instance::Create(duckdb::DatabaseInstance& database) {
  if (Get(database)) {
    return nullptr;
  }
  auto instance = duckdb::make_shared_ptr<Instance>(database);
  database.GetObjectCache().Put(ObjectType(), instance);
  return instance;
}

void Instance::DropDevice(const device::Device& device) {
  counters.devices_lost++;
  images.DropDevice(device);
  devices.Drop(device);
}

}  // namespace margay::integration
