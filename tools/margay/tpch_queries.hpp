#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmark_runner.hpp"

namespace margay::tool {

//! How many queries TPC-H has.
constexpr int kTpchQueryCount = 22;

//! The numbers of a list like "1,6" or "1-5,18" or "all", in the order given. Throws CommandError.
std::vector<int> ParseQueryList(const std::string& list);

//! The text of one query from a folder of files q01.sql to q22.sql. An empty folder stands for one
//! that was not found. Throws CommandError.
BenchmarkQuery ReadTpchQuery(const std::filesystem::path& folder, int number);

}  // namespace margay::tool
