#pragma once

#include <string>

#include "compile/expression_writer.hpp"

namespace margay::compile {

//! Writes casts among the types other than VARCHAR, with DuckDB's rounding: decimals and doubles to
//! decimals half away from zero, floats to integers half to even.
class CastWriter {
 public:
  explicit CastWriter(ExpressionWriter& writer) : writer_(writer) {}

  //! Writes a Cast or TryCast expression.
  Value Write(const plan::Expression& expression);

 private:
  Value WriteIntegralToIntegral(Value value, const plan::Type& from, const plan::Type& to);
  Value WriteDecimalToDecimal(Value value, const plan::Type& from, const plan::Type& to);
  Value WriteIntegralToFloat(const Value& value, const plan::Type& from, const plan::Type& to);
  Value WriteDecimalToFloat(const Value& value, const plan::Type& from, const plan::Type& to);
  Value WriteFloatToIntegral(const Value& value, const plan::Type& from, const plan::Type& to);
  Value WriteFloatToDecimal(const Value& value, const plan::Type& from, const plan::Type& to);
  Value WriteDoubleToFloat(Value value);
  Value WriteToBoolean(const Value& value);
  Value WriteDateToTimestamp(Value value);
  Value WriteTimestampToDate(const Value& value);

  //! `value` times 10 to the power of `exponent`; the product fits into 128 bits.
  Value Scaled(const Value& value, int exponent);
  //! `value` divided by 10 to the power of `exponent`, rounded half away from zero.
  Value Rounded(const Value& value, int exponent);
  //! A fault, or NULL for a TryCast, where `condition` holds.
  void Fail(Value& value, const std::string& condition);
  //! The code of an integer as a double, as DuckDB converts values of `type`.
  std::string ToDouble(const Value& value, const plan::Type& type);

  ExpressionWriter& writer_;
  bool is_try_ = false;
};

}  // namespace margay::compile
