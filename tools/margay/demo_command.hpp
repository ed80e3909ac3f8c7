#pragma once

#include <filesystem>

#include "command.hpp"
#include "tpch_suite.hpp"

namespace margay::tool {

//! `margay demo`: a short tour for newcomers.
class DemoCommand : public Command {
 public:
  explicit DemoCommand(CLI::App& parent);
  bool IsChosen() const override;
  ExitCode Run() override;

 private:
  CLI::App* app_;
  double scale_ = 1;
  std::filesystem::path data_ = "margay-data";
  TpchSuite suite_;
};

}  // namespace margay::tool
