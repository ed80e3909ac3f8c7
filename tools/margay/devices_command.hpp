#pragma once

#include "command.hpp"

namespace margay::tool {

//! `margay devices`: all OpenCL devices, usable or not.
class DevicesCommand : public Command {
 public:
  explicit DevicesCommand(CLI::App& parent);
  bool IsChosen() const override;
  ExitCode Run() override;

 private:
  CLI::App* app_;
  bool json_ = false;
};

}  // namespace margay::tool
