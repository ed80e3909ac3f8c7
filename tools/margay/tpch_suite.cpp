#include "tpch_suite.hpp"

#include <CLI/CLI.hpp>

#include "program_files.hpp"
#include "tpch_data.hpp"

namespace margay::tool {
namespace {

std::vector<std::string> QueryNames() {
  std::vector<std::string> names;
  for (int number = 1; number <= 22; number++) {
    names.push_back(std::to_string(number));
  }
  return names;
}

}  // namespace

TpchSuite::TpchSuite()
    : BenchmarkSuite("tpch", "TPC-H", QueryNames(), FindTpchQueries()),
      generator_(FindTpchGenerator()) {}

double TpchSuite::LargestScale() const {
  return 1e5;
}

void TpchSuite::AddDataOptions(CLI::App& app) {
  app.add_option("--generator", generator_, "Path of tpchgen-cli");
}

std::unique_ptr<BenchmarkData> TpchSuite::DataIn(const std::filesystem::path& database,
                                                 double scale) const {
  return std::make_unique<TpchData>(database, scale, generator_);
}

std::string TpchSuite::QueryFile(const std::string& query) const {
  return (query.size() < 2 ? "q0" : "q") + query + ".sql";
}

}  // namespace margay::tool
