#include "duckdb/placement.hpp"

#include "device/device_error.hpp"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/duck_table_entry.hpp"
#include "duckdb/common/error_data.hpp"
#include "duckdb/instance.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/storage/data_table.hpp"
#include "duckdb/type_conversion.hpp"
#include "plan/node.hpp"

namespace margay::integration {
namespace {

//! The table of `part` as the active transaction sees it; null with a reason where it is not the
//! one that the part was captured from.
duckdb::optional_ptr<duckdb::DuckTableEntry> FindTable(duckdb::ClientContext& context,
                                                       const CapturedPart& part,
                                                       std::string& reason) {
  reason = "the table " + part.table + " is not the one that the query was planned for";
  auto entry = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(
      context, part.catalog, part.schema, part.table, duckdb::OnEntryNotFound::RETURN_NULL);
  if (!entry || !entry->IsDuckTable() || entry->oid != part.table_oid) {
    return nullptr;
  }
  auto& table = entry->Cast<duckdb::DuckTableEntry>();
  auto types = table.GetStorage().GetTypes();
  for (const auto& column : plan::BottomScan(*part.plan).Columns()) {
    if (column.id >= types.size() || ToPlanType(types[column.id]) != column.type) {
      return nullptr;
    }
  }
  reason.clear();
  return &table;
}

Placement DuckDBAnswers(Settings settings, std::string reason) {
  Placement placement;
  placement.settings = std::move(settings);
  placement.reason = std::move(reason);
  return placement;
}

Placement Error(Settings settings, std::string reason) {
  auto placement = DuckDBAnswers(std::move(settings), std::move(reason));
  placement.is_error = true;
  return placement;
}

//! The device that the settings choose; null with a reason where there is none.
std::shared_ptr<const OpenDevice> FindDevice(duckdb::ClientContext& context,
                                             const Settings& settings, std::string& reason) {
  try {
    return Instance::Get(context)->devices.Open(settings, reason);
  } catch (const device::DeviceError& error) {
    reason = error.what();
    return nullptr;
  }
}

//! The rungs that both modes share, once there is a device. `can_build` says whether what is
//! missing could be made now.
void DecideOnDevice(duckdb::ClientContext& context, const CapturedPart& part,
                    duckdb::DuckTableEntry& table, Placement& placement, bool& can_build) {
  placement.shape = ShapeFor(placement.settings, *placement.place->device);
  auto finding =
      Instance::Get(context)->images.Find({context, table, plan::BottomScan(*part.plan),
                                           placement.place, placement.settings.dictionary_strings});
  can_build = finding.can_build;
  if (finding.kind != ImageFinding::Kind::Valid) {
    placement.reason = finding.reason;
    placement.is_error = finding.kind == ImageFinding::Kind::Refused;
    return;
  }
  placement.copy = finding.copy;
  try {
    auto made = finding.copy->PartFor(part.plan->ToString(), part.plan, placement.shape);
    if (auto* refusal = std::get_if<execute::Refusal>(&made)) {
      placement.reason = refusal->reason;
      placement.is_error = true;
      return;
    }
    placement.part = std::get<0>(made);
    can_build = true;
    if (!placement.part->IsBuilt()) {
      placement.reason = "the kernel is not compiled yet";
      return;
    }
  } catch (std::exception& error) {
    // In auto mode DuckDB answers; in force mode the execution meets the same error again and
    // throws it.
    placement.reason = duckdb::ErrorData(error).RawMessage();
    return;
  }
  placement.is_on_device = true;
}

}  // namespace

Placement Decide(duckdb::ClientContext& context, const std::shared_ptr<const CapturedPart>& part,
                 Purpose purpose) {
  auto settings = Settings::Read(context);
  if (settings.mode == Mode::Off) {
    return DuckDBAnswers(settings, "margay_mode = off");
  }
  std::string reason;
  auto table = FindTable(context, *part, reason);
  if (settings.mode == Mode::Force) {
    if (!table) {
      return Error(settings, reason);
    }
    Placement placement;
    placement.settings = settings;
    placement.place = FindDevice(context, settings, reason);
    if (!placement.place) {
      return Error(settings, reason);
    }
    bool can_build = false;
    DecideOnDevice(context, *part, *table, placement, can_build);
    placement.is_on_device = !placement.is_error;
    return placement;
  }
  if (!part->has_aggregate) {
    return DuckDBAnswers(settings, "without an aggregate the result is too large to win");
  }
  if (!table) {
    return DuckDBAnswers(settings, reason);
  }
  if (table->GetStorage().GetTotalRows() < settings.min_rows) {
    return DuckDBAnswers(settings, "the table has fewer than margay_min_rows = " +
                                       std::to_string(settings.min_rows) + " rows");
  }
  auto instance = Instance::Get(context);
  auto& builder = instance->builder;
  BuildJob job{part, settings, nullptr};
  std::string problem = builder.Problem(job);
  Placement placement;
  placement.settings = settings;
  placement.place = purpose == Purpose::Execution ? instance->devices.FindOpen(settings)
                                                  : FindDevice(context, settings, reason);
  if (!placement.place) {
    if (purpose == Purpose::Execution) {
      builder.Start(std::move(job));
      reason = problem.empty() ? "the device is not open yet" : problem;
    }
    return DuckDBAnswers(settings, reason);
  }
  bool can_build = false;
  DecideOnDevice(context, *part, *table, placement, can_build);
  if (placement.is_on_device) {
    return placement;
  }
  if (placement.part) {
    job.made = placement.part;
    problem = builder.Problem(job);
  }
  if (!problem.empty()) {
    placement.reason += " (the last attempt failed: " + problem + ")";
  }
  if (purpose == Purpose::Execution && can_build && !placement.is_error) {
    builder.Start(std::move(job));
  }
  placement.is_error = false;
  return placement;
}

std::variant<PreparedPart, execute::Refusal> Prepare(duckdb::ClientContext& context,
                                                     const CapturedPart& part,
                                                     const Settings& settings,
                                                     const ReadControl& control, Maker maker) {
  std::string problem;
  auto table = FindTable(context, part, problem);
  if (!table) {
    return execute::Refusal{problem};
  }
  auto instance = Instance::Get(context);
  PreparedPart prepared;
  prepared.place = instance->devices.Open(settings, problem);
  if (!prepared.place) {
    return execute::Refusal{problem};
  }
  prepared.shape = ShapeFor(settings, *prepared.place->device);
  try {
    prepared.copy = instance->images.Acquire({context, *table, plan::BottomScan(*part.plan),
                                              prepared.place, settings.dictionary_strings},
                                             control);
  } catch (const storage::Refusal& refusal) {
    return execute::Refusal{refusal.what()};
  }
  if (maker == Maker::Background && plan::UsesDictionaryFunctions(*part.plan)) {
    return prepared;
  }
  auto made = prepared.copy->PartFor(part.plan->ToString(), part.plan, prepared.shape);
  if (auto* refusal = std::get_if<execute::Refusal>(&made)) {
    return *refusal;
  }
  prepared.part = std::get<0>(made);
  return prepared;
}

void Build(const execute::Part& part, Counters& counters) {
  if (!part.IsBuilt()) {
    part.Build();
    counters.kernels_compiled++;
  }
}

}  // namespace margay::integration
