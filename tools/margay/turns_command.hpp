#pragma once

#include <cstdint>
#include <string>

#include "benchmark_options.hpp"
#include "command.hpp"
#include "turns_report.hpp"

namespace margay::tool {

//! `margay bench turns`: many different statements in turn, against each of them repeated.
class TurnsCommand : public Command {
 public:
  //! `parent` is the command `margay bench`.
  explicit TurnsCommand(CLI::App& parent);
  bool IsChosen() const override;
  ExitCode Run() override;

 private:
  TurnsSetting Setting(const std::string& device, uint32_t threads) const;

  CLI::App* app_;
  size_t statements_ = 200;
  int64_t rows_ = 1000000;
  int passes_ = 10;
  int repeat_ = 5;
  uint64_t seed_ = 1;
  BenchmarkOptions options_;
  std::string json_;
  bool list_ = false;
};

}  // namespace margay::tool
