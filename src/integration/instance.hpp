#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "duckdb/storage/object_cache.hpp"
#include "integration/background_builder.hpp"
#include "integration/counters.hpp"
#include "integration/device_pools.hpp"
#include "integration/image/image_cache.hpp"
#include "integration/image/snapshot_tracker.hpp"

namespace margay::integration {

//! All that Margay holds for one database instance. Lives in the instance's object cache, as an
//! entry that is never evicted: it is destroyed with the instance, after its databases and before
//! its buffer manager. Thread-safe.
class Instance : public duckdb::ObjectCacheEntry {
 public:
  explicit Instance(duckdb::DatabaseInstance& database);

  //! The entry of a database that Register() was called for.
  static duckdb::shared_ptr<Instance> Get(duckdb::DatabaseInstance& database);
  static duckdb::shared_ptr<Instance> Get(duckdb::ClientContext& context);
  //! Makes the entry. Null where that was done before.
  static duckdb::shared_ptr<Instance> Create(duckdb::DatabaseInstance& database);

  //! A device was lost: forgets it with all that is on it.
  void DropDevice(const device::Device& device);

  static std::string ObjectType() { return "margay_instance"; }
  std::string GetObjectType() override { return ObjectType(); }
  duckdb::optional_idx GetEstimatedCacheMemory() const override { return {}; }

  Counters counters;
  const std::shared_ptr<SnapshotTracker> tracker;
  DevicePools devices;
  ImageCache images;
  //! Held while a part that failed on a device adds pipelines to the running query.
  std::mutex reschedule_mutex;
  //! Last: its thread uses the others.
  BackgroundBuilder builder;
};

}  // namespace margay::integration
