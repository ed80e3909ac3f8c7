#pragma once

#include <string>

#include "compile/expression_writer.hpp"

namespace margay::compile {

//! Writes functions of numbers: absolute values, signs, rounding, greatest and least values.
class MathWriter {
 public:
  explicit MathWriter(ExpressionWriter& writer) : writer_(writer) {}

  Value WriteAbsolute(const plan::Expression& expression);
  Value WriteSign(const plan::Expression& expression);
  //! Writes Round, Floor, Ceiling and Truncate.
  Value WriteRounding(const plan::Expression& expression);
  //! Writes Greatest and Least.
  Value WriteExtreme(const plan::Expression& expression);

 private:
  Value RoundFloat(const plan::Expression& expression, Value value);
  Value RoundDecimal(const plan::Expression& expression, const Value& value);

  ExpressionWriter& writer_;
};

}  // namespace margay::compile
