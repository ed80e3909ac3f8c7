#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "execute/part.hpp"
#include "integration/settings.hpp"
#include "optimize/physical/shape.hpp"
#include "schedule/admission.hpp"

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace margay::integration {

//! A device in use by one database, with the database's memory and kernels on it.
struct OpenDevice : execute::Place {
  std::shared_ptr<schedule::Admission> admission = std::make_shared<schedule::Admission>();
};

//! The shape that the settings ask for, or the one that suits the device.
optimize::Shape ShapeFor(const Settings& settings, const device::Device& device);

//! The devices that one database uses. Thread-safe.
class DevicePools {
 public:
  explicit DevicePools(duckdb::DatabaseInstance& database) : database_(database) {}

  //! Looks for the devices of the machine, once in the process. That takes a tenth of a second or
  //! more: queries in auto mode leave it to the background.
  static void Load();

  //! The device that the settings choose, with the memory limit they set. Null with a sentence in
  //! `problem` where there is none. Throws device::DeviceError where it can't be opened.
  std::shared_ptr<const OpenDevice> Open(const Settings& settings, std::string& problem);

  //! The same, but null where devices have not been looked for, or where this one is not open.
  std::shared_ptr<const OpenDevice> FindOpen(const Settings& settings);

  //! Forgets a lost device; Open() will give a fresh one.
  void Drop(const device::Device& device);

  std::vector<std::shared_ptr<const OpenDevice>> List() const;

 private:
  static void SetLimit(const OpenDevice& open, const Settings& settings);

  duckdb::DatabaseInstance& database_;
  mutable std::mutex mutex_;
  //! By index in the registry.
  std::map<size_t, std::shared_ptr<const OpenDevice>> devices_;
};

}  // namespace margay::integration
