#include "integration/operator/physical_note.hpp"

#include "duckdb/main/client_context.hpp"
#include "duckdb/parallel/meta_pipeline.hpp"
#include "duckdb/parallel/pipeline.hpp"
#include "integration/settings.hpp"

namespace margay::integration {

PhysicalNote::PhysicalNote(duckdb::PhysicalPlan& plan, duckdb::ClientContext& context,
                           std::string reason, bool is_refused, duckdb::PhysicalOperator& child)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, child.types,
                       child.estimated_cardinality),
      context_(context.shared_from_this()),
      reason_(std::move(reason)),
      is_refused_(is_refused) {
  children.push_back(child);
}

duckdb::InsertionOrderPreservingMap<std::string> PhysicalNote::ParamsToString() const {
  duckdb::InsertionOrderPreservingMap<std::string> result;
  auto context = context_.lock();
  bool is_forced = context && ReadSettings(*context).mode == Mode::Force;
  result["Runs in"] =
      is_forced && is_refused_ ? "no engine: margay_mode = force makes this an error" : "DuckDB";
  result["Reason"] = reason_;
  return result;
}

duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> PhysicalNote::GetSources() const {
  return children[0].get().GetSources();
}

void PhysicalNote::BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) {
  if (is_refused_ && ReadSettings(current.GetClientContext()).mode == Mode::Force) {
    throw duckdb::NotImplementedException("margay_mode = force: %s", reason_);
  }
  children[0].get().BuildPipelines(current, meta_pipeline);
}

}  // namespace margay::integration
