#pragma once

#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! Builds functions of numbers: absolute values, signs, rounding, greatest and least values.
class MathBuilder {
 public:
  explicit MathBuilder(ValueBuilder& builder) : builder_(builder), graph_(builder.Graph()) {}

  Value BuildAbsolute(const plan::Expression& expression);
  Value BuildSign(const plan::Expression& expression);
  //! Round, Floor, Ceiling and Truncate.
  Value BuildRounding(const plan::Expression& expression);
  //! Greatest and Least.
  Value BuildExtreme(const plan::Expression& expression);

 private:
  Value RoundFloat(const plan::Expression& expression, Value value);
  Value RoundDecimal(const plan::Expression& expression, const Value& value);

  ValueBuilder& builder_;
  NodeGraph& graph_;
};

}  // namespace margay::optimize
