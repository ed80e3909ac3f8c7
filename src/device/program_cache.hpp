#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/program.hpp"
#include "device/program_statistics.hpp"

namespace margay::device {

class DeviceState;

//! The programs of one device, in memory and, as the device's binaries, on disk (see
//! program_store.hpp). All are built as OpenCL C 1.2 without relaxed maths, and with correctly
//! rounded single-precision division and square root where the device can; `options` are added to
//! that. Thread-safe.
//!
//! Memory holds the programs that were used last, a limited number: a runtime keeps megabytes for
//! each, and data of other widths makes other programs of one query.
class ProgramCache {
 public:
  explicit ProgramCache(std::shared_ptr<DeviceState> state);
  ~ProgramCache();
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  //! The program, compiled if it is neither in memory nor on disk. Threads that ask for the same
  //! program at the same time wait for one compilation; different programs don't wait for each
  //! other. Throws DeviceError, with the compiler's log where the source is at fault. Failures are
  //! not remembered.
  std::shared_ptr<Program> Get(const std::string& source, const std::string& options = {});

  //! The program if it is in memory or on disk, else null (also while another thread compiles it).
  //! Never compiles. Throws DeviceError only where the device is lost.
  std::shared_ptr<Program> Find(const std::string& source, const std::string& options = {});

  //! All programs in memory, in no particular order.
  std::vector<ProgramStatistics> Snapshot() const;

  //! Keeps at most this many programs in memory, 256 unless set.
  void Limit(size_t most_programs);

  //! Forgets the programs in memory. The ones in use stay alive; files stay.
  void Clear();

  //! The folder of the stored binaries, for all devices of the process: $XDG_CACHE_HOME/margay or
  //! ~/.cache/margay unless set. It is created when first written to. An empty path turns storing
  //! off; a folder that can't be used does so silently.
  static void SetDirectory(std::filesystem::path directory);
  static std::filesystem::path Directory();

  //! Whether compilers may optimize, of all devices of the process; they may unless set. For tests
  //! that compile much and run little: without, kernels compile in a fifth of the time (Intel's
  //! runtime).
  static void SetOptimized(bool is_optimized);

 private:
  using Future = std::shared_future<std::shared_ptr<Program>>;
  struct Entry {
    Future program;
    uint64_t last_use = 0;
  };

  //! Notes a use of `entry`, then drops the oldest other programs beyond the limit. Needs the
  //! mutex.
  void Touch(Entry& entry);
  std::shared_ptr<Program> Compile(const std::string& source, const std::string& options);
  std::shared_ptr<Program> Load(const std::string& source, const std::string& options);
  std::string StoreKey(const std::string& source, const std::string& options) const;

  std::shared_ptr<DeviceState> state_;
  mutable std::mutex mutex_;
  //! By options and source.
  std::unordered_map<std::string, Entry> entries_;
  uint64_t uses_ = 0;
  size_t most_programs_ = 256;
};

}  // namespace margay::device
