#include "integration/optimizer_hook.hpp"

#include <memory>
#include <utility>

#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "integration/capture/find_parts.hpp"
#include "integration/operator/logical_part.hpp"

namespace margay::integration {
namespace {

//! Replaces every part of `plan` by a LogicalPart and puts a LogicalNote above every operator over
//! table data that is refused. What DuckDB reads from elsewhere below a tap (table functions,
//! files, temporary tables) has no note. Mode and placement are not asked for here: a plan may be
//! executed many times, under changing settings.
void CapturePlan(duckdb::OptimizerExtensionInput& input,
                 duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  CaptureFindings findings = FindParts(input.context, plan);
  // A tap goes above a note in the same place. Everything else is in any order: what is put into
  // one place moves no other.
  for (FoundNote& found : findings.notes) {
    *found.place = duckdb::make_uniq<LogicalNote>(std::move(found.reason), !found.is_elsewhere,
                                                  std::move(*found.place));
  }
  for (FoundPart& found : findings.parts) {
    auto taps = std::make_shared<PlannedTaps>(found.taps.size(), nullptr);
    for (size_t i = 0; i < found.taps.size(); i++) {
      auto& place = *found.taps[i].place;
      place = duckdb::make_uniq<LogicalTap>(found.part.taps[i].reason, i, taps, std::move(place));
    }
    *found.place = duckdb::make_uniq<LogicalPart>(std::move(found.part), std::move(taps),
                                                  std::move(*found.place));
  }
}

}  // namespace

void RegisterOptimizerHook(duckdb::DatabaseInstance& database) {
  duckdb::OptimizerExtension extension;
  extension.optimize_function = CapturePlan;
  duckdb::OptimizerExtension::Register(duckdb::DBConfig::GetConfig(database), extension);
}

}  // namespace margay::integration
