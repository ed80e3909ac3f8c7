#include "devices_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "device/device_registry.hpp"
#include "device_choice.hpp"

namespace margay::tool {
namespace {

void PrintJson(std::ostream& output) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const auto& info : device::DeviceRegistry::Instance().Devices()) {
    devices.push_back({{"index", info.index},
                       {"name", info.name},
                       {"platform", info.platform},
                       {"vendor", info.vendor},
                       {"kind", device::KindName(info.kind)},
                       {"version", info.version},
                       {"driver_version", info.driver_version},
                       {"compute_units", info.compute_units},
                       {"memory_bytes", info.global_memory},
                       {"largest_buffer_bytes", info.largest_buffer},
                       {"usable", info.IsUsable()},
                       {"problem", info.problem}});
  }
  output << devices.dump(2) << '\n';
}

}  // namespace

DevicesCommand::DevicesCommand(CLI::App& parent)
    : app_(parent.add_subcommand("devices", "Lists all OpenCL devices, usable or not")) {
  app_->add_flag("--json", json_, "As a JSON array");
}

bool DevicesCommand::IsChosen() const {
  return app_->parsed();
}

ExitCode DevicesCommand::Run() {
  if (json_) {
    PrintJson(std::cout);
  } else {
    PrintDevices(std::cout);
  }
  return ExitCode::Ok;
}

}  // namespace margay::tool
