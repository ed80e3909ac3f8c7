#pragma once

#include "benchmark_suite.hpp"

namespace margay::tool {

//! The Star Schema Benchmark: the queries of bench/ssb, data of SsbGenerator.
class SsbSuite : public BenchmarkSuite {
 public:
  SsbSuite();
  double LargestScale() const override;
  std::unique_ptr<BenchmarkData> DataIn(const std::filesystem::path& database,
                                        double scale) const override;

 protected:
  std::string QueryFile(const std::string& query) const override;
};

}  // namespace margay::tool
