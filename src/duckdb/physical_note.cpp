#include "duckdb/physical_note.hpp"

#include "duckdb/parallel/meta_pipeline.hpp"
#include "duckdb/parallel/pipeline.hpp"
#include "duckdb/settings.hpp"

namespace margay::integration {

PhysicalNote::PhysicalNote(duckdb::PhysicalPlan& plan, std::string reason,
                           duckdb::PhysicalOperator& child)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, child.types,
                       child.estimated_cardinality),
      reason_(std::move(reason)) {
  children.push_back(child);
}

duckdb::InsertionOrderPreservingMap<std::string> PhysicalNote::ParamsToString() const {
  duckdb::InsertionOrderPreservingMap<std::string> result;
  result["Runs in"] = "DuckDB";
  result["Reason"] = reason_;
  return result;
}

duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> PhysicalNote::GetSources() const {
  return children[0].get().GetSources();
}

void PhysicalNote::BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) {
  if (Settings::Read(current.GetClientContext()).mode == Mode::Force) {
    throw duckdb::NotImplementedException("margay_mode = force: %s", reason_);
  }
  children[0].get().BuildPipelines(current, meta_pipeline);
}

}  // namespace margay::integration
