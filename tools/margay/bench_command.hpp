#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "benchmark_options.hpp"
#include "benchmark_report.hpp"
#include "benchmark_runner.hpp"
#include "benchmark_suite.hpp"
#include "command.hpp"
#include "session.hpp"

namespace margay::tool {

//! `margay bench SUITE`: a benchmark in DuckDB and in Margay, side by side.
class BenchCommand : public Command {
 public:
  //! `parent` is the command `margay bench`.
  BenchCommand(CLI::App& parent, std::unique_ptr<BenchmarkSuite> suite);
  bool IsChosen() const override;
  ExitCode Run() override;

 private:
  void PrintList(const std::vector<BenchmarkQuery>& queries) const;
  //! The arguments that say what this command measures where, but for the queries.
  std::vector<std::string> ArgumentsForOthers() const;
  //! Measures the queries in the engines of --peers, and draws the chart.
  void RunPeers(Session& session, const std::vector<BenchmarkQuery>& queries, uint32_t threads,
                BenchmarkReport& report) const;
  //! Makes the data that the queries read and returns the database file.
  std::filesystem::path PrepareData(const std::vector<BenchmarkQuery>& queries) const;

  std::unique_ptr<BenchmarkSuite> suite_;
  CLI::App* app_;
  double scale_ = 1;
  std::string queries_ = "all";
  int repeat_ = 5;
  BenchmarkOptions options_;
  std::string json_;
  std::vector<std::string> peers_;
  std::string chart_;
  bool cold_ = false;
  bool list_ = false;
};

}  // namespace margay::tool
