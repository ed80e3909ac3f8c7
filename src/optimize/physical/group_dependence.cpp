#include "optimize/physical/group_dependence.hpp"

#include <algorithm>
#include <functional>

#include "optimize/estimate/uniqueness.hpp"

namespace margay::optimize {

std::set<size_t> GroupDependence::FixedTables(const std::vector<size_t>& kept) const {
  const Pipeline& pipeline = stage_.result;
  std::set<size_t> fixed;
  for (size_t key : kept) {
    for (size_t table = 0; table <= stage_.column_tables.back(); table++) {
      const InputColumn* unique = UniqueColumn(*pipeline.outputs[key], columns_, table);
      // Any number of rows may have NULL.
      if (unique != nullptr && !unique->form->HasValidity() &&
          unique->form->Rows() <= kMostEntries) {
        fixed.insert(table);
      }
    }
  }
  const std::function<bool(const plan::Expression&)> is_fixed =
      [&](const plan::Expression& expression) {
        const auto is_same = [&](size_t key) {
          return plan::SameExpression(*pipeline.outputs[key], expression);
        };
        if (std::any_of(kept.begin(), kept.end(), is_same))
          return true;
        if (expression.GetOperation() == plan::Operation::Column)
          return fixed.count(stage_.column_tables[expression.ColumnIndex()]) != 0;
        const auto& operands = expression.Operands();
        return std::all_of(
            operands.begin(), operands.end(),
            [&](const plan::ExpressionPointer& operand) { return is_fixed(*operand); });
      };
  // Joins lead to further rows; each comes behind those that its keys need.
  for (const PipelineJoin& join : pipeline.joins) {
    const JoinTable& table = join_tables_[join.build];
    const bool finds_one_row = join.GivesBuildSide() && table.keys_are_unique && !join.residual;
    const bool starts_fixed =
        std::all_of(join.keys.begin(), join.keys.end(),
                    [&](const plan::JoinKey& key) { return is_fixed(*key.probe); });
    if (finds_one_row && starts_fixed)
      fixed.insert(table.table);
    if (fixed.count(table.table) != 0 && !table.is_numbered)
      fixed.insert(table.links.begin(), table.links.end());
  }
  return fixed;
}

bool GroupDependence::Follows(size_t key, const std::vector<size_t>& kept) const {
  const std::set<size_t> fixed = FixedTables(kept);
  bool follows = true;
  VisitColumns(*stage_.result.outputs[key], [&](size_t column) {
    follows = follows && fixed.count(stage_.column_tables[column]) != 0;
  });
  return follows;
}

std::vector<bool> GroupDependence::DependentKeys() const {
  const auto& keys = stage_.result.outputs;
  std::vector<bool> is_dependent(keys.size(), false);
  // Strings first: of two keys that follow from each other, the number is easier to group by.
  for (const bool is_turn_of_strings : {true, false}) {
    for (size_t key = 0; key < keys.size(); key++) {
      if (keys[key]->GetType().IsVarchar() != is_turn_of_strings)
        continue;
      std::vector<size_t> kept;
      for (size_t other = 0; other < keys.size(); other++) {
        if (other != key && !is_dependent[other])
          kept.push_back(other);
      }
      // One is kept, as groups are found by it, even if there is just one.
      is_dependent[key] = !kept.empty() && Follows(key, kept);
    }
  }
  return is_dependent;
}

}  // namespace margay::optimize
