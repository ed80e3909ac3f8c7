#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer.hpp"
#include "duckdb.hpp"
#include "report.hpp"
#include "script.hpp"

namespace margay::test {

//! A device, as margay_device takes it, and the shape of the kernels on it.
struct Target {
  std::string device;
  std::string device_name;
  std::string shape;
  bool has_own_memory = false;

  std::string Name() const { return device_name + ", " + shape; }
};

struct RunnerOptions {
  //! None: the tests run with DuckDB alone.
  std::vector<Target> targets;
  std::string cache_directory;
  bool stop_on_first = false;
  //! Run every query in auto mode as well, on the first target.
  bool with_auto = false;
  //! Only one in so many queries, by a hash of its text, runs on the targets.
  uint64_t every = 1;
};

//! Opens a database (":memory:" or a file) with Margay in it.
std::unique_ptr<duckdb::DuckDB> OpenDatabase(const std::string& path);

//! Runs one test file in a database of its own.
class FileRunner {
 public:
  //! `directory` is an empty folder for the file's own use.
  FileRunner(const RunnerOptions& options, Report& report, std::string path, std::string directory);

  void Run();

 private:
  //! Thrown where the rest of the file makes no sense any more.
  struct Stop {};

  //! What the devices have done so far, for all connections.
  struct DeviceCounters {
    uint64_t executions = 0;
    uint64_t fallbacks = 0;

    //! A problem, if no device has run a query to its end from here to `later`.
    std::string NoneUntil(const DeviceCounters& later) const;
  };

  void RunBlock(const Block& block);
  //! The targets for a query: all or, see RunnerOptions::every, none.
  std::vector<Target> TargetsOf(const Block& block) const;
  void RunStatement(const Block& block);
  void RunStatementError(const Block& block);
  void RunQuery(const Block& block);
  void RunForced(const Block& block, const Answer& wanted, const Target& target);
  void RunAuto(const Block& block, const Answer& wanted, const Target& target);
  void RunStays(const Block& block, const Answer& wanted, const Target& target);
  void RunError(const Block& block);

  void Open();
  void Close();
  bool HasExtension(const std::string& name);

  duckdb::Connection& ConnectionOf(const Block& block);
  //! Sets the mode on the block's connection; a statement of the runner that fails is an exception.
  void SetMode(const Block& block, const std::string& mode, const Target* target);
  void Execute(duckdb::Connection& connection, const std::string& sql);
  DeviceCounters ReadCounters();

  void Check(const Block& block, const std::string& setting, const std::string& problem);

  const RunnerOptions& options_;
  Report& report_;
  std::string path_;
  std::string directory_;

  std::string database_path_ = ":memory:";
  std::unique_ptr<duckdb::DuckDB> database_;
  std::map<std::string, std::unique_ptr<duckdb::Connection>> connections_;
  //! Reads the counters, so that the connections under test see only their own statements.
  std::unique_ptr<duckdb::Connection> monitor_;
  std::map<std::string, Answer> labels_;
  uint64_t tail_rows_ = 0;
  //! margay_device_memory on devices that share the host's memory, and on others; empty: as it is.
  std::string memory_, own_memory_;
};

}  // namespace margay::test
