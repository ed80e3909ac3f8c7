#pragma once

#include "benchmark_suite.hpp"

namespace margay::tool {

//! TPC-H: the queries of DuckDB's extension, data of tpchgen-cli.
class TpchSuite : public BenchmarkSuite {
 public:
  TpchSuite();
  double LargestScale() const override;
  void AddDataOptions(CLI::App& app) override;
  std::unique_ptr<BenchmarkData> DataIn(const std::filesystem::path& database,
                                        double scale) const override;

 protected:
  std::string QueryFile(const std::string& query) const override;

 private:
  std::filesystem::path generator_;
};

}  // namespace margay::tool
