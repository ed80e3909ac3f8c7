#include "integration/operator/placement.hpp"

#include <algorithm>
#include <optional>

#include "device/device_error.hpp"
#include "duckdb/common/error_data.hpp"
#include "duckdb/main/client_context.hpp"
#include "integration/image/duck_table_source.hpp"
#include "integration/instance.hpp"
#include "optimize/estimate/nested_loop_rows.hpp"
#include "optimize/rewrite/partitions.hpp"
#include "plan/node.hpp"

namespace margay::integration {
namespace {

//! A table of a part, with the columns of all scans of it.
struct PartTable {
  std::shared_ptr<const TableSource> source;
  plan::NodePointer scan;
};

//! The tables of a part, each of them once.
struct PartTables {
  std::vector<PartTable> tables;
  std::vector<std::optional<size_t>> of_scans;  //!< the table of each scan; none for taps

  //! One copy per scan from one per table.
  TableCopies ForScans(const TableCopies& copies) const {
    TableCopies result;
    for (std::optional<size_t> table : of_scans) {
      result.push_back(table ? copies[*table] : nullptr);
    }
    return result;
  }
};

//! The columns of both scans, of one table.
plan::NodePointer MergeScans(const plan::Node& first, const plan::Node& second) {
  auto columns = first.Columns();
  for (const auto& column : second.Columns()) {
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const auto& known) { return known.id == column.id; })) {
      columns.push_back(column);
    }
  }
  return plan::Node::Scan(first.Table(), std::move(columns));
}

//! The tables of `part`; none with a reason where one is not the one that it was captured from.
std::optional<PartTables> FindTables(duckdb::ClientContext& context, const CapturedPart& part,
                                     std::string& reason) {
  PartTables result;
  auto scans = plan::Scans(*part.plan);
  for (size_t i = 0; i < scans.size(); i++) {
    if (part.tables[i].tap) {
      result.of_scans.emplace_back();
      continue;
    }
    auto source = FindDuckTable(context, part.tables[i], *scans[i]);
    if (!source) {
      reason =
          "the table " + part.tables[i].name + " is not the one that the query was planned for";
      return std::nullopt;
    }
    auto known =
        std::find_if(result.tables.begin(), result.tables.end(),
                     [&](const PartTable& table) { return table.source->IsSameTable(*source); });
    result.of_scans.emplace_back(static_cast<size_t>(known - result.tables.begin()));
    if (known != result.tables.end()) {
      known->scan = MergeScans(*known->scan, *scans[i]);
    } else {
      result.tables.push_back({source, plan::Node::Scan(scans[i]->Table(), scans[i]->Columns())});
    }
  }
  return result;
}

//! Beyond, DuckDB rather sorts for an inequality than that it looks at all rows for each row.
constexpr uint64_t kMostNestedLoopRows = 1000;

//! How many rows the nested loops of `part` look at for each row, at most.
uint64_t NestedLoopRows(const CapturedPart& part, const PartTables& tables) {
  std::vector<uint64_t> rows;
  for (size_t i = 0; i < tables.of_scans.size(); i++) {
    const std::optional<size_t> table = tables.of_scans[i];
    rows.push_back(table ? tables.tables[*table].source->TotalRows()
                         : part.taps[*part.tables[i].tap].estimated_rows);
  }
  return optimize::NestedLoopRows(*part.plan, rows);
}

uint64_t RowsOfLargest(const PartTables& tables) {
  uint64_t rows = 0;
  for (const auto& table : tables.tables) {
    rows = std::max<uint64_t>(rows, table.source->TotalRows());
  }
  return rows;
}

//! Rows that DuckDB expects from all taps together.
uint64_t RowsOfTaps(const CapturedPart& part) {
  uint64_t rows = 0;
  for (const auto& tap : part.taps) {
    rows += tap.estimated_rows;
  }
  return rows;
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

//! A plan, made for one device and shape.
struct PlannedPart {
  PartOrRefusal part;
  std::string partitions;  //!< see Placement
};

//! The plan of `part` in as many partitions as the settings say; none where that can't be done.
std::optional<optimize::PartitionedPlan> PartitionedPlanOf(const plan::NodePointer& plan,
                                                           const TableCopies& copies,
                                                           const Settings& settings) {
  const auto scans = plan::Scans(*plan);
  std::vector<uint64_t> rows;
  for (const auto& copy : copies) {
    rows.push_back(copy->Image()->Rows());
  }
  auto find_bounds = [&](size_t scan, size_t column) -> std::optional<optimize::ValueBounds> {
    const auto image = copies[scan]->Image()->Find(scans[scan]->Columns()[column].id);
    if (!image || !image->Statistics().HasValues()) {
      return std::nullopt;
    }
    return optimize::ValueBounds{image->Statistics().min, image->Statistics().max};
  };
  return optimize::Partition(plan, rows, find_bounds, static_cast<uint32_t>(settings.partitions));
}

//! Generates the kernels of `part` over `copies`, one per scan. Throws execute::ImageLost.
PlannedPart MakePart(const CapturedPart& part, const TableCopies& copies, optimize::Shape shape,
                     const Settings& settings, Counters& counters) {
  if (auto partitioned = PartitionedPlanOf(part.plan, copies, settings)) {
    TableCopies of_scans;
    for (size_t scan : partitioned->scans) {
      of_scans.push_back(copies[scan]);
    }
    auto made =
        TableCopy::PartFor(partitioned->plan, of_scans, shape, settings.join_method, counters);
    if (std::holds_alternative<std::shared_ptr<const execute::Part>>(made)) {
      return {std::move(made), std::to_string(partitioned->partitions) + " by " + partitioned->key};
    }
  }
  return {TableCopy::PartFor(part.plan, copies, shape, settings.join_method, counters), {}};
}

//! Finds a valid copy of every table; where there is none, says why. `can_build` says whether what
//! is missing could be made now.
void FindCopies(duckdb::ClientContext& context, const PartTables& tables, Placement& placement,
                bool& can_build) {
  auto& images = Instance::Get(context)->images;
  TableCopies copies;
  can_build = true;
  for (const auto& table : tables.tables) {
    auto finding = images.Find({context, table.source, *table.scan, placement.place,
                                placement.settings.dictionary_strings,
                                placement.settings.mode == Mode::Force});
    if (finding.kind == ImageFinding::Kind::Valid) {
      copies.push_back(finding.copy);
      continue;
    }
    can_build = can_build && finding.can_build;
    bool is_refused = finding.kind == ImageFinding::Kind::Refused;
    if (placement.reason.empty() || (is_refused && !placement.is_error)) {
      placement.reason =
          (tables.tables.size() > 1 ? table.source->Name().table + ": " : "") + finding.reason;
      placement.is_error = is_refused;
    }
  }
  if (copies.size() == tables.tables.size()) {
    placement.copies = tables.ForScans(copies);
  }
}

//! The rungs that both modes share, once there is a device. `can_build` says whether what is
//! missing could be made now.
void DecideOnDevice(duckdb::ClientContext& context, const CapturedPart& part,
                    const PartTables& tables, Placement& placement, bool& can_build) {
  placement.shape = ShapeFor(placement.settings, *placement.place->device);
  FindCopies(context, tables, placement, can_build);
  if (placement.copies.empty()) {
    return;
  }
  if (!part.taps.empty()) {
    // The kernel depends on the rows that DuckDB has yet to give.
    placement.is_on_device = true;
    return;
  }
  try {
    auto made = MakePart(part, placement.copies, placement.shape, placement.settings,
                         Instance::Get(context)->counters);
    if (auto* refusal = std::get_if<execute::Refusal>(&made.part)) {
      placement.reason = refusal->reason;
      placement.is_error = true;
      return;
    }
    placement.part = std::get<0>(made.part);
    placement.partitions = made.partitions;
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
  auto tables = FindTables(context, *part, reason);
  if (settings.mode == Mode::Force) {
    if (!tables) {
      return Error(settings, reason);
    }
    Placement placement;
    placement.settings = settings;
    placement.place = FindDevice(context, settings, reason);
    if (!placement.place) {
      return Error(settings, reason);
    }
    bool can_build = false;
    DecideOnDevice(context, *part, *tables, placement, can_build);
    placement.is_on_device = !placement.is_error;
    return placement;
  }
  if (!part->has_aggregate && !part->is_top) {
    return DuckDBAnswers(
        settings, "the part has no aggregate, and handing on its rows costs more than it saves");
  }
  if (!tables) {
    return DuckDBAnswers(settings, reason);
  }
  // Sums of 10 million rows of a temporary table in 1,000 groups, on two cores: DuckDB takes 24 ms,
  // a device with collecting and encoding 61 ms. Behind a window function both take 632 ms.
  if (tables->tables.empty()) {
    return DuckDBAnswers(
        settings, "all rows come from DuckDB, and handing them over costs more than it saves");
  }
  if (RowsOfLargest(*tables) < settings.min_rows) {
    std::string which = tables->tables.size() > 1 ? "the largest table" : "the table";
    return DuckDBAnswers(settings, which + " has fewer than margay_min_rows = " +
                                       std::to_string(settings.min_rows) + " rows");
  }
  if (uint64_t rows = RowsOfTaps(*part); rows > RowsOfLargest(*tables)) {
    return DuckDBAnswers(settings, "DuckDB would have to hand over about " + std::to_string(rows) +
                                       " rows, more than the largest table has");
  }
  if (uint64_t rows = NestedLoopRows(*part, *tables); rows > kMostNestedLoopRows) {
    return DuckDBAnswers(settings, "a join without an equality would look at up to " +
                                       std::to_string(rows) + " rows for each row");
  }
  auto instance = Instance::Get(context);
  auto& builder = instance->builder;
  BuildJob job{part, settings, nullptr};
  std::string problem = builder.Problem(job);
  if (!part->taps.empty() && !problem.empty()) {
    return DuckDBAnswers(settings, "the last attempt failed: " + problem);
  }
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
  DecideOnDevice(context, *part, *tables, placement, can_build);
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
  auto tables = FindTables(context, part, problem);
  if (!tables) {
    return execute::Refusal{problem};
  }
  auto instance = Instance::Get(context);
  PreparedPart prepared;
  prepared.place = instance->devices.Open(settings, problem);
  if (!prepared.place) {
    return execute::Refusal{problem};
  }
  prepared.shape = ShapeFor(settings, *prepared.place->device);
  // Columns that are being encoded take memory too; a query has its turn already.
  std::unique_ptr<ExecutionTurns::Turn> turn;
  if (maker == Maker::Background) {
    turn = prepared.place->turns->Take(ExecutionTurns::Kind::Together, control.is_interrupted);
  }
  try {
    TableCopies copies;
    for (const auto& table : tables->tables) {
      copies.push_back(
          instance->images.Acquire({context, table.source, *table.scan, prepared.place,
                                    settings.dictionary_strings, settings.mode == Mode::Force},
                                   control));
    }
    prepared.copies = tables->ForScans(copies);
  } catch (const storage::Refusal& refusal) {
    return execute::Refusal{refusal.what()};
  }
  if (!part.taps.empty() ||
      (maker == Maker::Background && plan::UsesDictionaryFunctions(*part.plan))) {
    return prepared;
  }
  auto made = MakePart(part, prepared.copies, prepared.shape, settings, instance->counters);
  if (auto* refusal = std::get_if<execute::Refusal>(&made.part)) {
    return *refusal;
  }
  prepared.part = std::get<0>(made.part);
  prepared.partitions = made.partitions;
  return prepared;
}

std::optional<execute::Refusal> ReadTaps(const CapturedPart& part, const ReadTap& read,
                                         Counters& counters, Placement& placement) {
  auto scans = plan::Scans(*part.plan);
  try {
    for (size_t number = 0; number < part.taps.size(); number++) {
      plan::NodePointer scan;
      for (size_t i = 0; i < scans.size(); i++) {
        if (part.tables[i].tap == number) {
          scan = MergeScans(scan ? *scan : *scans[i], *scans[i]);
        }
      }
      auto copy = read(number, *scan);
      for (size_t i = 0; i < scans.size(); i++) {
        if (part.tables[i].tap == number) {
          placement.copies[i] = copy;
        }
      }
    }
  } catch (const storage::Refusal& refusal) {
    return execute::Refusal{refusal.what()};
  }
  auto made = MakePart(part, placement.copies, placement.shape, placement.settings, counters);
  if (auto* refusal = std::get_if<execute::Refusal>(&made.part)) {
    return *refusal;
  }
  placement.part = std::get<0>(made.part);
  placement.partitions = made.partitions;
  return std::nullopt;
}

void Build(const execute::Part& part, Counters& counters) {
  if (!part.IsBuilt()) {
    part.Build();
    counters.kernels_compiled++;
  }
}

}  // namespace margay::integration
