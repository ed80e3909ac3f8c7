#include "optimize/physical/ranged_keys.hpp"

#include <algorithm>
#include <optional>

#include "optimize/physical/plain_build.hpp"
#include "optimize/value/value_builder.hpp"
#include "storage/constants.hpp"

namespace margay::optimize {

namespace {

//! The number of a key that is a column of `table` whose segments have bounds.
std::optional<size_t> FindRangedKey(const PipelineJoin& join, size_t table,
                                    const std::vector<InputColumn>& columns) {
  for (size_t i = 0; i < join.keys.size(); i++) {
    const plan::JoinKey& key = join.keys[i];
    if (key.nulls_are_equal || key.probe->GetOperation() != plan::Operation::Column)
      continue;
    const InputColumn& column = columns[key.probe->ColumnIndex()];
    const storage::Encoding encoding = column.form->GetEncoding();
    // A dictionary's codes mean nothing to the other side.
    if (column.table == table && encoding == storage::Encoding::Narrow &&
        !column.form->Segments().empty())
      return i;
  }
  return std::nullopt;
}

}  // namespace

void ChooseRangedKeys(Stage& stage, const std::vector<InputColumn>& columns,
                      const std::vector<uint64_t>& rows, DictionaryCache& dictionaries) {
  const auto choose = [&](const Pipeline& pipeline) {
    if (rows[pipeline.table] <= storage::kSegmentRows)
      return;
    const ValueContext context{columns, dictionaries, pipeline.table};
    const auto can_fault = [&](const plan::ExpressionPointer& expression) {
      return CanFault(expression, context);
    };
    if (std::any_of(pipeline.conjuncts.begin(), pipeline.conjuncts.end(), can_fault))
      return;
    for (const PipelineJoin& join : pipeline.joins) {
      if (std::any_of(join.keys.begin(), join.keys.end(),
                      [&](const plan::JoinKey& key) { return can_fault(key.probe); }))
        return;
      BuildPipeline& build = stage.builds[join.build];
      // The table of a plain build side is kept, and its keys are mostly all there are.
      const bool is_ranged =
          (join.kind == plan::JoinKind::Inner || join.kind == plan::JoinKind::Semi) &&
          !IsPlainBuild(build, columns);
      if (is_ranged)
        build.ranged_key = FindRangedKey(join, pipeline.table, columns);
      if ((join.residual && can_fault(join.residual)) ||
          std::any_of(join.conjuncts.begin(), join.conjuncts.end(), can_fault))
        return;
    }
  };
  for (const BuildPipeline& build : stage.builds)
    choose(build.pipeline);
  choose(stage.result);
}

}  // namespace margay::optimize
