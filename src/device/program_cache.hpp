#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/program.hpp"
#include "device/program_source.hpp"
#include "device/program_statistics.hpp"

namespace margay::device {

class DeviceState;

//! The programs of one device, in memory and, as the device's binaries, on disk (see
//! program_store.hpp). All are built as OpenCL C 1.2 without relaxed maths, and with correctly
//! rounded single-precision division and square root where the device can; `options` are added to
//! that. Thread-safe.
//!
//! Memory holds the programs that were used last, up to a limit in bytes. What a program takes
//! OpenCL does not tell, so that it is estimated from the size of its binary, by what resident
//! memory grew (150 kernels of TPC-H and SSB): in Intel's runtime 400 KB and ten times the binary,
//! in PoCL three times the binary. That is for programs that were made of their binaries. One that
//! is compiled keeps its compiler's data (Intel: 3.3 MB on average instead of 0.65 MB), so that on
//! CPUs a compiled program is replaced by that of its binary at once, which takes 2 ms.
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
  std::shared_ptr<Program> Get(const ProgramSource& source, const std::string& options = {});

  //! The program if it is in memory or on disk, else null (also while another thread compiles it).
  //! Never compiles. Throws DeviceError only where the device is lost.
  std::shared_ptr<Program> Find(const ProgramSource& source, const std::string& options = {});

  //! Whether the program is in memory; that counts as a use.
  bool IsInMemory(const ProgramSource& source, const std::string& options = {});

  //! All programs in memory, in no particular order.
  std::vector<ProgramStatistics> Snapshot() const;

  //! Keeps programs of about this many bytes at most in memory, kMostBytes unless set; the one that
  //! was used last stays in any case.
  void Limit(uint64_t most_bytes);
  static constexpr uint64_t kMostBytes = uint64_t{1280} << 20;

  //! Forgets the programs in memory, and gives what they took back to the system. The ones in use
  //! stay alive; files stay. Returns about how many bytes that were.
  uint64_t Clear();

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
    uint64_t bytes = 0;  //!< 0 while it is compiled
  };

  //! What a program is known by: the hash of its source, and its options.
  static std::string KeyOf(const ProgramSource& source, const std::string& options);
  //! Notes a use of `entry`, and what its program takes.
  void Touch(Entry& entry);
  //! Notes what a program takes that has just been made, then takes the programs out that were used
  //! least lately, beyond the limit; the caller lets them go without the mutex. Needs the mutex.
  std::vector<Future> Account(const std::string& key, const Program& program);
  std::vector<Future> Shrink();
  std::shared_ptr<Program> Compile(const ProgramSource& source, const std::string& options);
  std::shared_ptr<Program> Load(const ProgramSource& source, const std::string& options);
  std::string StoreKey(const std::string& source, const std::string& options) const;
  //! What a program of a binary of that size takes.
  uint64_t MemoryBytes(uint64_t binary_bytes) const;

  std::shared_ptr<DeviceState> state_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  uint64_t uses_ = 0;
  uint64_t bytes_ = 0;  //!< of all entries
  uint64_t most_bytes_ = kMostBytes;
};

}  // namespace margay::device
