#include "integration/version/plan_query.hpp"

#include "duckdb/main/client_config.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/optimizer/optimizer.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/planner/planner.hpp"

namespace margay::integration {

duckdb::unique_ptr<duckdb::LogicalOperator> PlanQuery(duckdb::ClientContext& context,
                                                      const std::string& query) {
  duckdb::Parser parser(context.GetParserOptions());
  parser.ParseQuery(query);
  if (parser.statements.size() != 1 ||
      parser.statements[0]->type != duckdb::StatementType::SELECT_STATEMENT) {
    throw duckdb::InvalidInputException("expected one SELECT statement, not '%s'", query);
  }
  duckdb::Planner planner(context);
  planner.CreatePlan(std::move(parser.statements[0]));
  auto plan = std::move(planner.plan);
  if (duckdb::ClientConfig::GetConfig(context).enable_optimizer) {
    plan = duckdb::Optimizer(*planner.binder, context).Optimize(std::move(plan));
  }
  return plan;
}

}  // namespace margay::integration
