#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "benchmark_runner.hpp"

namespace margay::tool {

class Session;

//! What another engine made of one query.
struct PeerAnswer {
  //! The median of the hot runs; none where the engine did not run the query.
  std::optional<double> milliseconds;
  //! Why there is no time, or how the answer differs from DuckDB's.
  std::string reason;
};

//! What another engine made of a benchmark.
struct PeerResult {
  //! As in --peers: "hyper".
  std::string name;
  std::string version;
  std::map<std::string, PeerAnswer> answers;  //!< by the query's name
};

//! Runs a benchmark's queries in other engines, which are Python packages in an environment of
//! their own (scripts/peers), each in a process of its own. bench/peers/ says how.
class Peers {
 public:
  //! The names of all engines.
  static const std::vector<std::string>& Names();

  //! `scratch` is a folder for the tables as Parquet files, the queries and their answers; it is
  //! emptied at the end. Throws CommandError where the environment is not there.
  Peers(Session& session, std::filesystem::path scratch, uint32_t threads, int repeat);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  //! Writes the tables, the queries and DuckDB's answers. Throws SqlError.
  void Prepare(const std::vector<BenchmarkQuery>& queries);
  //! Throws CommandError.
  PeerResult Run(const std::string& name) const;
  //! Draws the times that a report's JSON holds as bars. Throws CommandError.
  void DrawChart(const std::string& json, const std::string& chart) const;

 private:
  Session& session_;
  std::filesystem::path scratch_;
  uint32_t threads_;
  int repeat_;
  std::filesystem::path python_;
  std::filesystem::path folder_;
};

//! A table of all engines' times, their mean ratios to Margay, and the reasons for gaps.
void PrintPeers(std::ostream& output, const std::vector<BenchmarkResult>& results,
                const std::vector<PeerResult>& peers);

}  // namespace margay::tool
