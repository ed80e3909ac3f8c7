#pragma once

#include "compile/expression_writer.hpp"

namespace margay::compile {

//! Writes arithmetic of numbers, dates and timestamps, with a fault where DuckDB has an error.
class ArithmeticWriter {
 public:
  explicit ArithmeticWriter(ExpressionWriter& writer) : writer_(writer) {}

  //! Writes Add, Subtract, Multiply, Divide and Negate.
  Value Write(const plan::Expression& expression);
  //! Writes IntegerDivide and Modulo.
  Value WriteDivision(const plan::Expression& expression);

 private:
  Value WriteInteger(const plan::Expression& expression, const Value& a, const Value& b);

  ExpressionWriter& writer_;
};

}  // namespace margay::compile
