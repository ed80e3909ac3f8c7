#include "optimize/physical/group_filter.hpp"

#include <algorithm>
#include <set>

namespace margay::optimize {

namespace {

//! Whether the columns that `predicate` reads are numbers, which groups hold themselves.
bool ReadsNumbers(const plan::Expression& predicate, const AggregateLayout& layout) {
  if (predicate.GetOperation() == plan::Operation::Column) {
    const size_t column = predicate.ColumnIndex();
    const plan::Type& type = predicate.GetType();
    return !type.IsVarchar() && !type.IsBoolean() &&
           (column >= layout.keys.size() || !layout.keys[column].is_dependent);
  }
  const auto& operands = predicate.Operands();
  return std::all_of(operands.begin(), operands.end(), [&](const plan::ExpressionPointer& operand) {
    return ReadsNumbers(*operand, layout);
  });
}

//! Whether computing a dependent key may raise an error.
bool CanFail(const plan::ExpressionPointer& key, const ValueContext& context) {
  return key->GetOperation() != plan::Operation::Column &&
         (key->GetType().IsVarchar() || CanFault(key, context));
}

}  // namespace

GroupFilter::GroupFilter(const plan::ExpressionPointer& predicate, const Pipeline& pipeline,
                         const AggregateLayout& layout, const ValueContext& context)
    : pipeline_(pipeline), layout_(layout) {
  if (!predicate || !ReadsNumbers(*predicate, layout))
    return;
  for (size_t i = 0; i < layout.keys.size(); i++) {
    if (layout.keys[i].is_dependent && CanFail(pipeline.outputs[i], context))
      return;
  }
  predicate_ = predicate;
}

Value GroupFilter::Build(ValueBuilder& builder) const {
  GroupValues values(layout_, builder);
  ValueBuilder over_groups(builder.Context(), builder.Graph(), builder.GetParameters());
  const size_t keys = layout_.keys.size();
  std::set<size_t> given;
  VisitColumns(*predicate_, [&](size_t column) {
    if (!given.insert(column).second)
      return;
    over_groups.GiveColumn(
        column, column < keys
                    ? values.Key(layout_.keys[column])
                    : values.Aggregate(column - keys, pipeline_.aggregates[column - keys]));
  });
  return over_groups.Build(predicate_);
}

}  // namespace margay::optimize
