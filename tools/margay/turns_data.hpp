#pragma once

#include <cstdint>

#include "benchmark_data.hpp"

namespace margay::tool {

//! The star schema of the benchmark "turns": sales, the facts, and their customers, products,
//! stores and days. A scale of 1 is a million sales. The rows are the same on every machine.
class TurnsData : public BenchmarkData {
 public:
  static constexpr int64_t kFewestSales = 1000;
  static constexpr int64_t kMostSales = 1000000000;

  //! `sales` lies between the two bounds. Their database is a file of `folder`.
  TurnsData(const std::filesystem::path& folder, int64_t sales);

  std::set<std::string> Tables() const override;

 protected:
  double NeededBytes() const override;
  void Load(Session& session, const std::set<std::string>& tables, std::ostream& progress) override;

 private:
  int64_t sales_;
};

}  // namespace margay::tool
