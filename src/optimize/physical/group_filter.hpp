#pragma once

#include "optimize/physical/group_values.hpp"

namespace margay::optimize {

//! Which groups of a shared table are wanted: those for which a predicate over the result's columns
//! (the group keys, then the aggregates) is true. Mostly a HAVING.
class GroupFilter {
 public:
  //! `predicate` may be null. `context` is that of the kernel that packs the groups.
  GroupFilter(const plan::ExpressionPointer& predicate, const Pipeline& pipeline,
              const AggregateLayout& layout, const ValueContext& context);

  //! Whether there is anything to test. Not where the predicate needs what a group does not hold
  //! itself, nor where leaving out groups would leave out errors of their keys.
  bool Exists() const { return predicate_ != nullptr; }

  //! Whether a group is wanted, as a boolean; `builder` builds the values of the kernel.
  Value Build(ValueBuilder& builder) const;

 private:
  const Pipeline& pipeline_;
  const AggregateLayout& layout_;
  plan::ExpressionPointer predicate_;
};

}  // namespace margay::optimize
