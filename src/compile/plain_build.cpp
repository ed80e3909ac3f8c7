#include "compile/plain_build.hpp"

#include <set>

namespace margay::compile {

std::optional<PlainBuild> PlainBuild::Of(const BuildPipeline& build,
                                         const std::vector<InputColumn>& columns,
                                         const std::vector<uint64_t>& rows) {
  if (!build.pipeline.conjuncts.empty() || !build.pipeline.joins.empty())
    return std::nullopt;
  std::set<size_t> read;
  for (const plan::ExpressionPointer& key : build.keys)
    VisitColumns(*key, [&](size_t column) { read.insert(column); });
  if (read.empty())
    return std::nullopt;
  PlainBuild plain;
  plain.rows = {rows[build.pipeline.table]};
  std::vector<plan::ExpressionPointer> replacements(columns.size());
  for (size_t number : read) {
    InputColumn column = columns[number];
    if (!column.image)
      return std::nullopt;
    column.number = plain.columns.size();
    column.table = 0;
    replacements[number] =
        plan::Expression::Column(column.number, column.form->Type(), column.name);
    plain.columns.push_back(std::move(column));
    plain.program.column_tables.push_back(0);
  }
  BuildPipeline& only = plain.program.builds.emplace_back();
  for (const plan::ExpressionPointer& key : build.keys)
    only.keys.push_back(plan::Substitute(key, replacements));
  only.nulls_are_equal = build.nulls_are_equal;
  only.needs_rows = build.needs_rows;
  only.needs_matches = build.needs_matches;
  return plain;
}

}  // namespace margay::compile
