#include "integration/operator/logical_part.hpp"

#include <algorithm>
#include <utility>

#include "duckdb/execution/physical_plan_generator.hpp"
#include "integration/operator/physical_note.hpp"
#include "integration/operator/physical_part.hpp"
#include "integration/operator/physical_tap.hpp"

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

LogicalPart::LogicalPart(CapturedPart part, std::shared_ptr<const PlannedTaps> taps,
                         duckdb::unique_ptr<duckdb::LogicalOperator> fallback)
    : TransparentOperator(std::move(fallback)), part_(std::move(part)), taps_(std::move(taps)) {}

duckdb::PhysicalOperator& LogicalPart::CreatePlan(duckdb::ClientContext& context,
                                                  duckdb::PhysicalPlanGenerator& planner) {
  duckdb::PhysicalOperator& fallback = planner.CreatePlan(*children[0]);
  if (std::find(taps_->begin(), taps_->end(), nullptr) != taps_->end()) {
    return planner.Make<PhysicalNote>(
        context, "DuckDB plans the part without an input that it was captured with", true,
        fallback);
  }
  return planner.Make<PhysicalPart>(context, std::move(part_), *taps_, fallback);
}

LogicalTap::LogicalTap(std::string reason, size_t number, std::shared_ptr<PlannedTaps> taps,
                       duckdb::unique_ptr<duckdb::LogicalOperator> child)
    : TransparentOperator(std::move(child)),
      reason_(std::move(reason)),
      number_(number),
      taps_(std::move(taps)) {}

duckdb::PhysicalOperator& LogicalTap::CreatePlan(duckdb::ClientContext& context,
                                                 duckdb::PhysicalPlanGenerator& planner) {
  duckdb::PhysicalOperator& child = planner.CreatePlan(*children[0]);
  duckdb::PhysicalOperator& tap = planner.Make<PhysicalTap>(context, std::move(reason_), child);
  (*taps_)[number_] = static_cast<PhysicalTap*>(&tap);
  return tap;
}

LogicalNote::LogicalNote(std::string reason, bool is_refused,
                         duckdb::unique_ptr<duckdb::LogicalOperator> child)
    : TransparentOperator(std::move(child)), reason_(std::move(reason)), is_refused_(is_refused) {}

duckdb::PhysicalOperator& LogicalNote::CreatePlan(duckdb::ClientContext& context,
                                                  duckdb::PhysicalPlanGenerator& planner) {
  duckdb::PhysicalOperator& child = planner.CreatePlan(*children[0]);
  return planner.Make<PhysicalNote>(context, std::move(reason_), is_refused_, child);
}

}  // namespace margay::integration
