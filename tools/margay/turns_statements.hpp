#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmark_runner.hpp"

namespace margay::tool {

//! More statements than the benchmark "turns" can be asked for.
constexpr size_t kMostTurnsStatements = 2000;

//! The first `count` statements that a seed gives, named "1", "2" and so on: the same ones on every
//! machine. No two of them differ in constants only.
std::vector<BenchmarkQuery> MakeTurnsStatements(size_t count, uint64_t seed);

//! A statement with "?" in the place of each number and each string.
std::string WithoutConstants(const std::string& sql);

}  // namespace margay::tool
