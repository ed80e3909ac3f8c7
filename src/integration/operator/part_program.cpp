#include "integration/operator/part_program.hpp"

#include <optional>
#include <variant>
#include <vector>

#include "integration/image/duck_table_source.hpp"
#include "optimize/physical/lowering.hpp"
#include "optimize/physical/program_outline.hpp"

namespace margay::integration {
namespace {

//! What the scans of a part read, as DuckDB's statistics tell; none where a table is not the one
//! that was planned for. Of the rows of taps nothing but an estimate of their number is known.
std::optional<std::vector<optimize::ScanInput>> ProvisionalInputs(duckdb::ClientContext& context,
                                                                  const CapturedPart& part) {
  std::vector<optimize::ScanInput> inputs;
  const auto scans = plan::Scans(*part.plan);
  for (size_t i = 0; i < scans.size(); i++) {
    const CapturedTable& table = part.tables[i];
    const auto source = table.tap ? nullptr : FindDuckTable(context, table, *scans[i]);
    if (!table.tap && !source) {
      return std::nullopt;
    }
    optimize::ScanInput& input = inputs.emplace_back();
    input.rows = source ? source->TotalRows() : part.taps[*table.tap].estimated_rows;
    for (const plan::ScanColumn& column : scans[i]->Columns()) {
      const auto bounds = source ? source->Bounds(context, column.id) : optimize::ColumnBounds{};
      input.ids.push_back(column.id);
      input.columns.push_back(
          {optimize::ProvisionalForm(column.type, input.rows, bounds), nullptr});
    }
  }
  return inputs;
}

PartProgram ProvisionalProgram(duckdb::ClientContext& context, const CapturedPart& part,
                               const Placement& placement) {
  const auto inputs = ProvisionalInputs(context, part);
  if (!inputs) {
    return {{}, {}, "a table is not the one that the query was planned for"};
  }
  optimize::LoweringOptions options;
  const Settings& settings = placement.settings;
  options.shape = placement.place ? ShapeFor(settings, *placement.place->device)
                                  : settings.shape.value_or(optimize::Shape::Loop);
  options.method = settings.join_method;
  if (placement.place) {
    options.memory = placement.place->pool->Limit();
  }
  auto lowered = optimize::Lower(part.plan, *inputs, options);
  if (auto* refusal = std::get_if<plan::Refusal>(&lowered)) {
    return {{}, {}, refusal->reason};
  }
  return {"estimated", optimize::OutlineOf(*std::get<0>(lowered)).ToString(), {}};
}

}  // namespace

PartProgram ProgramOf(duckdb::ClientContext& context, const CapturedPart& part,
                      const Placement& placement) {
  if (!placement.made.part) {
    return ProvisionalProgram(context, part, placement);
  }
  return {"exact", placement.made.part->ProgramText(), {}};
}

}  // namespace margay::integration
