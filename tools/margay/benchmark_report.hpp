#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "benchmark_runner.hpp"
#include "peers.hpp"

namespace margay::tool {

//! Why queries were not compared, or did not run on a device alone: a line for each reason.
void PrintReasons(std::ostream& output, const std::vector<BenchmarkResult>& results);

//! What holds for a whole run of a benchmark.
struct BenchmarkSetting {
  std::string suite;
  double scale = 1;
  std::string device;
  std::string shape;
  std::string mode;
  uint32_t threads = 0;
  int repeat = 0;
  //! The device's measured read bandwidth.
  double bandwidth_bytes_per_second = 0;
};

//! The results of a benchmark, for people and as JSON.
class BenchmarkReport {
 public:
  explicit BenchmarkReport(BenchmarkSetting setting);

  void Add(BenchmarkResult result);
  //! With an answer for each query that was added.
  void AddPeer(PeerResult peer);

  //! The table, the reasons of queries that the device did not run, the summary, and the table of
  //! peers.
  void Print(std::ostream& output) const;

  //! Writes an array with one object per query. Throws CommandError.
  void WriteJson(const std::string& path) const;

  //! No query failed, and no answer differed.
  bool IsGood() const;

 private:
  //! The time that reading the query's bytes takes at the device's full bandwidth.
  double FloorMilliseconds(const BenchmarkResult& result) const;
  double BytesPerSecond(const BenchmarkResult& result) const;
  void PrintSummary(std::ostream& output) const;

  BenchmarkSetting setting_;
  std::vector<BenchmarkResult> results_;
  std::vector<PeerResult> peers_;
};

}  // namespace margay::tool
