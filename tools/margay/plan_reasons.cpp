#include "plan_reasons.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace margay::tool {
namespace {

//! Adds the reasons of an operator and of those below it.
void Collect(const nlohmann::json& node, std::vector<std::string>& reasons) {
  const auto& details = node.at("extra_info");
  std::string reason;
  if (node.at("name") == "MARGAY_NOTE") {
    reason = details.value("Reason", "");
  } else if (node.at("name") == "MARGAY") {
    constexpr std::string_view prefix = "DuckDB: ";
    std::string decision = details.value("Margay", "");
    if (decision.compare(0, prefix.size(), prefix) == 0) {
      reason = decision.substr(prefix.size());
    }
  }
  if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
    reasons.push_back(reason);
  }
  for (const auto& child : node.at("children")) {
    Collect(child, reasons);
  }
}

}  // namespace

std::string PlanReasons(const std::string& plan) {
  std::vector<std::string> reasons;
  for (const auto& root : nlohmann::json::parse(plan)) {
    Collect(root, reasons);
  }
  std::string text;
  for (const auto& reason : reasons) {
    text += (text.empty() ? "" : "; ") + reason;
  }
  return text;
}

}  // namespace margay::tool
