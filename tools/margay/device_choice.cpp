#include "device_choice.hpp"

#include <optional>

#include "command.hpp"
#include "device/device_registry.hpp"
#include "text_table.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! The selectors that may rightly find nothing on a machine.
bool IsKindOrAuto(const std::string& selector) {
  return selector == "auto" || selector == "cpu" || selector == "gpu" || selector == "accelerator";
}

}  // namespace

const device::DeviceInfo& RequireDevice(const std::string& selector) {
  auto& registry = device::DeviceRegistry::Instance();
  std::string problem;
  std::optional<size_t> index = registry.Find(selector.empty() ? "auto" : selector, &problem);
  if (!index) {
    bool is_mistake = registry.Problem().empty() && !selector.empty() && !IsKindOrAuto(selector);
    throw CommandError(is_mistake ? ExitCode::Usage : ExitCode::NoDevice, problem);
  }
  return registry.Devices()[*index];
}

void PrintDevices(std::ostream& output) {
  auto& registry = device::DeviceRegistry::Instance();
  if (!registry.Devices().empty()) {
    constexpr auto right = TextTable::Alignment::Right;
    TextTable table({{"index", right},
                     {"name"},
                     {"platform"},
                     {"kind"},
                     {"units", right},
                     {"memory", right},
                     {"usable"}});
    for (const auto& info : registry.Devices()) {
      table.AddRow({std::to_string(info.index), info.name, info.platform,
                    std::string(device::KindName(info.kind)), std::to_string(info.compute_units),
                    FormatMemory(info.global_memory),
                    info.IsUsable() ? "yes" : "no: " + info.problem});
    }
    table.Print(output);
  }
  if (std::string problem = registry.Problem(); !problem.empty()) {
    output << problem << '\n';
  } else if (std::string broken = registry.BrokenRuntime(); !broken.empty()) {
    output << broken << '\n';
  }
}

}  // namespace margay::tool
