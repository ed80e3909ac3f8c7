#include "duckdb/logical_part.hpp"

#include <utility>

#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/physical_note.hpp"
#include "duckdb/physical_part.hpp"

namespace margay::integration {

TransparentOperator::TransparentOperator(duckdb::unique_ptr<duckdb::LogicalOperator> child) {
  estimated_cardinality = child->estimated_cardinality;
  has_estimated_cardinality = child->has_estimated_cardinality;
  children.push_back(std::move(child));
}

duckdb::vector<duckdb::ColumnBinding> TransparentOperator::GetColumnBindings() {
  return children[0]->GetColumnBindings();
}

duckdb::idx_t TransparentOperator::EstimateCardinality(duckdb::ClientContext& context) {
  return children[0]->EstimateCardinality(context);
}

void TransparentOperator::ResolveTypes() {
  types = children[0]->types;
}

LogicalPart::LogicalPart(CapturedPart part, duckdb::unique_ptr<duckdb::LogicalOperator> fallback)
    : TransparentOperator(std::move(fallback)), part_(std::move(part)) {}

duckdb::PhysicalOperator& LogicalPart::CreatePlan(duckdb::ClientContext& context,
                                                  duckdb::PhysicalPlanGenerator& planner) {
  duckdb::PhysicalOperator& fallback = planner.CreatePlan(*children[0]);
  return planner.Make<PhysicalPart>(context, std::move(part_), fallback);
}

LogicalNote::LogicalNote(std::string reason, duckdb::unique_ptr<duckdb::LogicalOperator> child)
    : TransparentOperator(std::move(child)), reason_(std::move(reason)) {}

duckdb::PhysicalOperator& LogicalNote::CreatePlan(duckdb::ClientContext& context,
                                                  duckdb::PhysicalPlanGenerator& planner) {
  duckdb::PhysicalOperator& child = planner.CreatePlan(*children[0]);
  return planner.Make<PhysicalNote>(context, std::move(reason_), child);
}

void CapturePlan(duckdb::OptimizerExtensionInput& input,
                 duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  CaptureFindings findings = FindParts(input, plan);
  for (FoundPart& found : findings.parts) {
    *found.place = duckdb::make_uniq<LogicalPart>(std::move(found.part), std::move(*found.place));
  }
  for (FoundNote& found : findings.notes) {
    *found.place = duckdb::make_uniq<LogicalNote>(std::move(found.reason), std::move(*found.place));
  }
}

}  // namespace margay::integration
