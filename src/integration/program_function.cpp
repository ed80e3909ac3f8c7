#include "integration/program_function.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "duckdb/function/table_function.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "integration/image/duck_table_source.hpp"
#include "integration/instance.hpp"
#include "integration/operator/logical_part.hpp"
#include "integration/operator/placement.hpp"
#include "integration/version/names.hpp"
#include "integration/version/plan_query.hpp"
#include "optimize/physical/lowering.hpp"
#include "optimize/physical/program_outline.hpp"

namespace margay::integration {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

//! What margay_program() says of a part of the query, or of an operator that stays with DuckDB.
struct Finding {
  std::string operators;   //!< of a part
  std::string statistics;  //!< what the program was made from; empty where there is none
  std::string program;
  std::string reason;  //!< where there is no program: why
};

//! The parts of a plan, and what is noted beside them, from the top down.
struct Findings {
  std::vector<const LogicalPart*> parts;
  std::vector<const LogicalNote*> notes;

  void Collect(const duckdb::LogicalOperator& plan) {
    if (const auto* part = dynamic_cast<const LogicalPart*>(&plan)) {
      parts.push_back(part);
    } else if (const auto* note = dynamic_cast<const LogicalNote*>(&plan)) {
      notes.push_back(note);
    }
    for (const auto& child : plan.children) {
      Collect(*child);
    }
  }
};

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

Finding FindProvisional(duckdb::ClientContext& context, const CapturedPart& part,
                        const Placement& placement) {
  Finding finding;
  finding.operators = part.text;
  const auto inputs = ProvisionalInputs(context, part);
  if (!inputs) {
    finding.reason = "a table is not the one that the query was planned for";
    return finding;
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
    finding.reason = refusal->reason;
    return finding;
  }
  finding.statistics = "estimated";
  finding.program = optimize::OutlineOf(*std::get<0>(lowered)).ToString();
  return finding;
}

Finding FindProgram(duckdb::ClientContext& context, const CapturedPart& part) {
  const Placement placement =
      PlacePart(context, std::make_shared<const CapturedPart>(part), Purpose::Explanation);
  if (!placement.made.part) {
    return FindProvisional(context, part, placement);
  }
  return {part.text, "exact", placement.made.part->ProgramText(), {}};
}

struct ProgramQuery : duckdb::TableFunctionData {
  std::string query;
};

struct ProgramState : duckdb::GlobalTableFunctionState {
  std::vector<Finding> findings;
  size_t position = 0;
};

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext&,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<LogicalType>& types,
                                              ColumnNames& names) {
  for (const char* name : {"operators", "statistics", "program", "reason"}) {
    names.emplace_back(name);
    types.push_back(LogicalType::VARCHAR);
  }
  auto data = duckdb::make_uniq<ProgramQuery>();
  if (input.inputs[0].IsNull()) {
    throw duckdb::InvalidInputException("margay_program: the query is NULL");
  }
  data->query = duckdb::StringValue::Get(input.inputs[0]);
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Start(duckdb::ClientContext& context,
                                                           duckdb::TableFunctionInitInput& input) {
  auto state = duckdb::make_uniq<ProgramState>();
  const auto plan = PlanQuery(context, static_cast<const ProgramQuery&>(*input.bind_data).query);
  Findings found;
  found.Collect(*plan);
  for (const LogicalPart* part : found.parts) {
    state->findings.push_back(FindProgram(context, part->Part()));
  }
  for (const LogicalNote* note : found.notes) {
    state->findings.push_back({{}, {}, {}, note->Reason()});
  }
  return state;
}

Value TextOrNull(const std::string& text) {
  return text.empty() ? Value(LogicalType::VARCHAR) : Value(text);
}

void Next(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& state = static_cast<ProgramState&>(*input.global_state);
  size_t rows = 0;
  for (; rows < STANDARD_VECTOR_SIZE && state.position < state.findings.size(); rows++) {
    const Finding& finding = state.findings[state.position++];
    output.SetValue(0, rows, TextOrNull(finding.operators));
    output.SetValue(1, rows, TextOrNull(finding.statistics));
    output.SetValue(2, rows, TextOrNull(finding.program));
    output.SetValue(3, rows, TextOrNull(finding.reason));
  }
  output.SetCardinality(rows);
}

}  // namespace

void RegisterProgramFunction(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionLoader loader(database, "margay");
  loader.RegisterFunction(
      duckdb::TableFunction("margay_program", {LogicalType::VARCHAR}, Next, Bind, Start));
}

}  // namespace margay::integration
