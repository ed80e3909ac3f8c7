#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "benchmark_data.hpp"
#include "benchmark_runner.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace margay::tool {

//! A benchmark: its name, its queries, and how its data is made.
class BenchmarkSuite {
 public:
  static constexpr double kSmallestScale = 1e-4;

  virtual ~BenchmarkSuite() = default;
  BenchmarkSuite(const BenchmarkSuite&) = delete;
  BenchmarkSuite& operator=(const BenchmarkSuite&) = delete;

  //! In commands, file names and JSON: "tpch".
  const std::string& Name() const { return name_; }
  //! For people: "TPC-H".
  const std::string& Title() const { return title_; }
  virtual double LargestScale() const = 0;

  //! A list of queries as ReadQueries takes it.
  std::string ExampleOfQueries() const;

  //! Adds the options that the data needs, and those that queries need, to a command; the parser
  //! fills this suite.
  virtual void AddDataOptions(CLI::App&) {}
  void AddQueryOptions(CLI::App& app);

  //! The data of a scale: in `database`, or in the file of FOLDER that is kept for this scale.
  virtual std::unique_ptr<BenchmarkData> DataIn(const std::filesystem::path& database,
                                                double scale) const = 0;
  std::unique_ptr<BenchmarkData> KeptData(const std::filesystem::path& folder, double scale) const;

  //! The queries of a list like "1,6" or "1-5,18" or "all", in the order given. Throws
  //! CommandError.
  std::vector<BenchmarkQuery> ReadQueries(const std::string& list) const;
  //! Throws CommandError.
  BenchmarkQuery ReadQuery(const std::string& name) const;

 protected:
  //! `query_names` are in the benchmark's order; an empty `query_folder` stands for one that was
  //! not found.
  BenchmarkSuite(std::string name, std::string title, std::vector<std::string> query_names,
                 std::filesystem::path query_folder);

  //! The name of a query's file in the folder of queries.
  virtual std::string QueryFile(const std::string& query) const = 0;

 private:
  size_t QueryPosition(const std::string& query) const;

  std::string name_;
  std::string title_;
  std::vector<std::string> query_names_;
  std::filesystem::path query_folder_;
};

}  // namespace margay::tool
