#pragma once

#include "benchmark_data.hpp"

namespace margay::tool {

//! The data of the Star Schema Benchmark, made by SsbGenerator.
class SsbData : public BenchmarkData {
 public:
  SsbData(std::filesystem::path database, double scale);

  std::set<std::string> Tables() const override;

 protected:
  double NeededBytes() const override;
  void Load(Session& session, const std::set<std::string>& tables, std::ostream& progress) override;
};

}  // namespace margay::tool
