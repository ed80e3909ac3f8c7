#include "integration/operator/part_maker.hpp"

#include "duckdb/main/client_context.hpp"
#include "integration/instance.hpp"
#include "integration/operator/part_tables.hpp"
#include "optimize/rewrite/partitions.hpp"
#include "plan/node.hpp"

namespace margay::integration {
namespace {

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

//! Copies with all columns that the tables' scans read.
TableCopies AcquireCopies(duckdb::ClientContext& context, const PartTables& tables,
                          const std::shared_ptr<const OpenDevice>& place, const Settings& settings,
                          const ReadControl& control) {
  TableCopies copies;
  for (const auto& table : tables.tables) {
    copies.push_back(Instance::Get(context)->images.Acquire(
        {context, table.source, *table.scan, place, settings.dictionary_strings,
         settings.mode == Mode::Force},
        control));
  }
  return tables.ForScans(copies);
}

}  // namespace

std::variant<MadePart, plan::Refusal> MakePart(const CapturedPart& part, const TableCopies& copies,
                                               optimize::Shape shape, const Settings& settings,
                                               Counters& counters) {
  if (auto partitioned = PartitionedPlanOf(part.plan, copies, settings)) {
    TableCopies of_scans;
    for (const size_t scan : partitioned->scans) {
      of_scans.push_back(copies[scan]);
    }
    auto made =
        TableCopy::PartFor(partitioned->plan, of_scans, shape, settings.join_method, counters);
    if (auto* ready = std::get_if<std::shared_ptr<const execute::Part>>(&made)) {
      return MadePart{*ready, std::to_string(partitioned->partitions) + " by " + partitioned->key};
    }
  }
  auto made = TableCopy::PartFor(part.plan, copies, shape, settings.join_method, counters);
  if (auto* refusal = std::get_if<plan::Refusal>(&made)) {
    return *refusal;
  }
  return MadePart{std::get<0>(made), {}};
}

std::variant<PreparedPart, plan::Refusal> Prepare(duckdb::ClientContext& context,
                                                  const CapturedPart& part,
                                                  const Settings& settings,
                                                  const ReadControl& control, Maker maker) {
  const auto tables = PartTables::Find(context, part);
  if (!tables.problem.empty()) {
    return plan::Refusal{tables.problem};
  }
  auto instance = Instance::Get(context);
  PreparedPart prepared;
  std::string problem;
  prepared.place = instance->devices.Open(settings, problem);
  if (!prepared.place) {
    return plan::Refusal{problem};
  }
  prepared.shape = ShapeFor(settings, *prepared.place->device);
  // Columns that are being encoded take memory too; a query is admitted already.
  std::unique_ptr<schedule::Admission::Ticket> ticket;
  if (maker == Maker::Background) {
    ticket = prepared.place->admission->Enter(schedule::Admission::Kind::Together,
                                              control.is_interrupted);
    if (!ticket) {
      throw execute::Interrupted();
    }
  }
  try {
    prepared.copies = AcquireCopies(context, tables, prepared.place, settings, control);
  } catch (const storage::RefusedColumn& refusal) {
    return plan::Refusal{refusal.what()};
  }
  if (!part.taps.empty() ||
      (maker == Maker::Background && plan::UsesDictionaryFunctions(*part.plan))) {
    return prepared;
  }
  auto made = MakePart(part, prepared.copies, prepared.shape, settings, instance->counters);
  if (auto* refusal = std::get_if<plan::Refusal>(&made)) {
    return *refusal;
  }
  prepared.made = std::get<MadePart>(made);
  return prepared;
}

std::optional<plan::Refusal> ReadTaps(const CapturedPart& part, const ReadTap& read,
                                      TableCopies& copies) {
  const auto scans = plan::Scans(*part.plan);
  for (size_t number = 0; number < part.taps.size(); number++) {
    plan::NodePointer scan;
    for (size_t i = 0; i < scans.size(); i++) {
      if (part.tables[i].tap == number) {
        scan = MergeScans(scan ? *scan : *scans[i], *scans[i]);
      }
    }
    std::shared_ptr<TableCopy> copy;
    try {
      copy = read(number, *scan);
    } catch (const storage::RefusedColumn& refusal) {
      return plan::Refusal{refusal.what()};
    }
    for (size_t i = 0; i < scans.size(); i++) {
      if (part.tables[i].tap == number) {
        copies[i] = copy;
      }
    }
  }
  return std::nullopt;
}

void Build(const execute::Part& part, uint32_t threads, Counters& counters) {
  if (!part.IsBuilt()) {
    const execute::BuildCounts built = part.Build(threads);
    counters.kernels_written += built.written;
    counters.kernels_compiled += built.built;
  }
}

}  // namespace margay::integration
