#pragma once

#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! Builds casts among the types other than VARCHAR, with DuckDB's rounding: decimals and doubles to
//! decimals half away from zero, floats to integers half to even.
class CastBuilder {
 public:
  explicit CastBuilder(ValueBuilder& builder) : builder_(builder), graph_(builder.Graph()) {}

  //! A Cast or TryCast expression.
  Value Build(const plan::Expression& expression);

 private:
  Value IntegralToIntegral(Value value, const plan::Type& from, const plan::Type& to);
  Value DecimalToDecimal(Value value, const plan::Type& from, const plan::Type& to);
  Value IntegralToFloat(const Value& value, const plan::Type& from, const plan::Type& to);
  Value DecimalToFloat(const Value& value, const plan::Type& from, const plan::Type& to);
  Value FloatToIntegral(const Value& value, const plan::Type& from, const plan::Type& to);
  Value FloatToDecimal(const Value& value, const plan::Type& from, const plan::Type& to);
  Value DoubleToFloat(Value value);
  Value ToBoolean(const Value& value);
  Value DateToTimestamp(Value value);
  Value TimestampToDate(const Value& value);

  //! `value` times 10 to the power of `exponent`; the product fits into 128 bits.
  Value Scaled(const Value& value, int exponent);
  //! `value` divided by 10 to the power of `exponent`, rounded half away from zero.
  Value Rounded(const Value& value, int exponent);
  //! A fault, or NULL for a TryCast, where `condition` is set.
  void Fail(Value& value, const Node* condition);
  //! An integer as a double or float, as DuckDB converts values of `type`.
  const Node* ToDouble(const Value& value, const plan::Type& type);
  const Node* ToFloat(const Value& value, const plan::Type& type, Machine machine);
  //! A value of a type of up to 64 bits as a number of such a type, whatever it is computed in.
  const Node* WordOf(const Value& value, const plan::Type& type);
  //! A float as a double.
  const Node* AsDouble(const Value& value);
  //! A flag: `low` < `real` < `high`, or `low` <= `real` with `with_low`.
  const Node* IsBetween(const Node* low, bool with_low, const Node* real, const Node* high);

  ValueBuilder& builder_;
  NodeGraph& graph_;
  bool is_try_ = false;
};

}  // namespace margay::optimize
