#include "integration/program_function.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duckdb/function/table_function.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "integration/operator/logical_part.hpp"
#include "integration/operator/part_program.hpp"
#include "integration/operator/placement.hpp"
#include "integration/version/names.hpp"
#include "integration/version/plan_query.hpp"

namespace margay::integration {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

//! What margay_program() says of a part of the query, or of an operator that stays with DuckDB.
struct Finding {
  std::string operators;  //!< of a part
  PartProgram program;
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
    const CapturedPart& captured = part->Part();
    const Placement placement =
        PlacePart(context, std::make_shared<const CapturedPart>(captured), Purpose::Explanation);
    state->findings.push_back({captured.text, ProgramOf(context, captured, placement)});
  }
  for (const LogicalNote* note : found.notes) {
    state->findings.push_back({{}, {{}, {}, note->Reason()}});
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
    output.SetValue(1, rows, TextOrNull(finding.program.statistics));
    output.SetValue(2, rows, TextOrNull(finding.program.text));
    output.SetValue(3, rows, TextOrNull(finding.program.reason));
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
