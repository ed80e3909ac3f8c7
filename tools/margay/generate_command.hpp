#pragma once

#include <filesystem>
#include <memory>

#include "benchmark_suite.hpp"
#include "command.hpp"

namespace margay::tool {

//! `margay generate SUITE`: makes the tables of a benchmark in a database file.
class GenerateCommand : public Command {
 public:
  //! `parent` is the command `margay generate`.
  GenerateCommand(CLI::App& parent, std::unique_ptr<BenchmarkSuite> suite);
  bool IsChosen() const override;
  ExitCode Run() override;

 private:
  std::unique_ptr<BenchmarkSuite> suite_;
  CLI::App* app_;
  double scale_ = 1;
  std::filesystem::path database_;
  std::filesystem::path data_ = "margay-data";
};

}  // namespace margay::tool
