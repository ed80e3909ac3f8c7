#pragma once

#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! Builds arithmetic of numbers, dates and timestamps, with a fault where DuckDB has an error.
class ArithmeticBuilder {
 public:
  explicit ArithmeticBuilder(ValueBuilder& builder) : builder_(builder), graph_(builder.Graph()) {}

  //! Add, Subtract, Multiply, Divide and Negate.
  Value Build(const plan::Expression& expression);
  //! IntegerDivide and Modulo.
  Value BuildDivision(const plan::Expression& expression);

 private:
  Value BuildFloat(const plan::Expression& expression, const Value& a, const Value& b);
  Value BuildInteger(const plan::Expression& expression, const Value& a, const Value& b);
  //! A fault where an operand of date arithmetic is infinite.
  void RefuseInfiniteDates(const Value& a, const Value& b, const Node* null);
  //! A fault where the lowest value of a type is divided by -1.
  void RefuseLowestByMinusOne(const Node* dividend, const Node* divisor, Int128 lowest,
                              const Node* null);

  ValueBuilder& builder_;
  NodeGraph& graph_;
};

}  // namespace margay::optimize
