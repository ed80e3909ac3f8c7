#include "cold_runs.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "child_process.hpp"
#include "program_files.hpp"

namespace margay::tool {

ColdRuns::ColdRuns(std::vector<std::string> arguments, std::filesystem::path scratch)
    : arguments_(std::move(arguments)), scratch_(std::move(scratch)) {}

ColdRuns::~ColdRuns() {
  std::error_code ignored;
  std::filesystem::remove_all(scratch_, ignored);
}

ColdTimes ColdRuns::Run(const std::string& query) const {
  std::filesystem::remove_all(scratch_);
  std::filesystem::create_directories(scratch_);
  ColdTimes times;
  times.nothing_milliseconds = FirstMilliseconds(query);
  times.kernels_milliseconds = FirstMilliseconds(query);
  return times;
}

double ColdRuns::FirstMilliseconds(const std::string& query) const {
  const std::string json = (scratch_ / "report.json").string();
  std::vector<std::string> arguments = {ThisProgram().string(), "bench"};
  arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
  arguments.insert(arguments.end(), {"--queries", query, "--repeat", "1", "--cache",
                                     (scratch_ / "kernels").string(), "--json", json});
  RunProgram(arguments, ChildOutput::Dropped);
  return nlohmann::json::parse(std::ifstream(json)).at(0).at("first_ms").get<double>();
}

}  // namespace margay::tool
