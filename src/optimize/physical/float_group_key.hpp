#pragma once

#include <vector>

#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! A FLOAT or DOUBLE as a group key: the integer of its place in the order of DOUBLEs, see
//! ValueBuilder::AsOrdered, which makes NaN and zero one group each.
class FloatGroupKey {
 public:
  explicit FloatGroupKey(const plan::ExpressionPointer& expression) : expression_(expression) {}

  //! The key of the row at hand, with its domain. DuckDB shows the zero or NaN of a group's first
  //! row: of a negative one, beside which there may be another, a fault is raised.
  Value Build(ValueBuilder& builder) const;
  //! Keys of a FLOAT are a multiple of this, or one less than a multiple: its fraction has fewer
  //! bits than that of a DOUBLE.
  Int128 Step() const;

  //! The value of which `ordered`, a multiple of `step`, is the integer, or the multiple below it.
  static double ValueOf(int64_t ordered, Int128 step);
  //! The same in a kernel, as a value of `type`.
  static Value BuildValue(const plan::Type& type, Int128 step, const Value& ordered,
                          ValueBuilder& builder);

 private:
  //! The integers that keys can have, from a multiple of Step() on.
  Range Domain(const std::vector<InputColumn>& columns) const;

  const plan::ExpressionPointer& expression_;
};

}  // namespace margay::optimize
