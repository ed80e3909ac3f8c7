#include "optimize/physical/nested_loops.hpp"

#include <algorithm>

namespace margay::optimize {

namespace {

void ForceNestedLoop(PipelineJoin& join, BuildPipeline& build) {
  if (join.keys.empty() ||
      std::any_of(join.keys.begin(), join.keys.end(),
                  [](const plan::JoinKey& key) { return key.probe->GetType().IsVarchar(); }))
    return;
  std::vector<plan::ExpressionPointer> conditions;
  for (const plan::JoinKey& key : join.keys) {
    const plan::Operation operation =
        key.nulls_are_equal ? plan::Operation::NotDistinctFrom : plan::Operation::Equal;
    conditions.push_back(
        plan::Expression::Make(operation, plan::TypeKind::Boolean, {key.probe, key.build}));
  }
  join.keys.clear();
  build.keys.clear();
  build.nulls_are_equal.clear();
  join.AddConditions(std::move(conditions));
}

}  // namespace

Stage ForceNestedLoops(Stage stage) {
  const auto force = [&](Pipeline& pipeline) {
    for (PipelineJoin& join : pipeline.joins)
      ForceNestedLoop(join, stage.builds[join.build]);
  };
  for (BuildPipeline& build : stage.builds)
    force(build.pipeline);
  force(stage.result);
  return stage;
}

}  // namespace margay::optimize
