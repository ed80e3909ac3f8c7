// Functions of numbers, as DuckDB 1.5.6 computes them (math/numeric.cpp, generic/least.cpp):
//
// - abs is checked for the smallest value of a signed integer; unsigned ones stay as they are.
// - round of a DECIMAL is half away from zero, as its cast to fewer digits is. floor, ceil and trunc
//   leave as many digits before the point as there were: DECIMAL(w,s) becomes DECIMAL(w,0).
// - Integers stay as they are, unless digits before the point are asked for.
// - round(x, n) of floats computes round(x * 10^n) / 10^n in doubles.
// - greatest and least leave out NULLs. FLOATs go through sort keys, where -0.0 becomes 0.0, and are
//   refused here.
#include <utility>

#include "integration/capture/expression.hpp"
#include "integration/type_conversion.hpp"
#include "integration/version/expressions.hpp"

namespace margay::integration {

namespace {

using plan::Operation;
using plan::TypeKind;

CapturedExpression Accept(plan::ExpressionPointer expression) {
  return {std::move(expression), {}};
}

CapturedExpression NotSupported(const std::string& name, const plan::Type& type) {
  return CapturedExpression::Refuse("the function " + name + " of " + type.ToString() +
                                    " is not supported yet");
}

std::optional<Operation> MathOperation(const std::string& name) {
  for (const auto& [other, operation] :
       {std::pair("abs", Operation::Absolute), std::pair("@", Operation::Absolute),
        std::pair("sign", Operation::Sign), std::pair("round", Operation::Round),
        std::pair("floor", Operation::Floor), std::pair("ceil", Operation::Ceiling),
        std::pair("ceiling", Operation::Ceiling), std::pair("trunc", Operation::Truncate),
        std::pair("greatest", Operation::Greatest), std::pair("least", Operation::Least)}) {
    if (name == other) {
      return operation;
    }
  }
  return std::nullopt;
}

//! Integers, but no decimals, dates, timestamps and booleans.
bool IsInteger(const plan::Type& type) {
  return type.IsIntegral() && !type.IsBoolean() && type.kind != TypeKind::UInt128 &&
         type.kind != TypeKind::Decimal && type.kind != TypeKind::Date &&
         type.kind != TypeKind::Timestamp;
}

bool IsNumber(const plan::Type& type) {
  return IsInteger(type) || type.IsFloat() || type.kind == TypeKind::Decimal;
}

//! The constant number of digits that a second argument gives.
std::optional<int32_t> DigitsOf(const duckdb::Expression& argument) {
  if (KindOf(argument) != ExpressionKind::Constant) {
    return std::nullopt;
  }
  const duckdb::Value& value = ValueOf(argument);
  if (value.IsNull() || value.type().id() != duckdb::LogicalTypeId::INTEGER) {
    return std::nullopt;
  }
  return value.GetValue<int32_t>();
}

//! A number rounded to a type; `digits` are asked for. None where the plan has no such rounding.
plan::ExpressionPointer Rounding(Operation operation, const plan::Type& type,
                                 const plan::ExpressionPointer& operand,
                                 std::optional<int32_t> digits) {
  const plan::Type& from = operand->GetType();
  if (from.IsFloat()) {
    std::vector<plan::ExpressionPointer> operands = {operand};
    if (digits) {
      operands.push_back(plan::Expression::Integer(*digits, TypeKind::Int32));
    }
    return type == from ? plan::Expression::Make(operation, type, std::move(operands)) : nullptr;
  }
  if (digits && *digits < 0) {
    return nullptr;
  }
  if (type == from) {
    return operand;
  }
  if (type.kind != TypeKind::Decimal || from.kind != TypeKind::Decimal ||
      type.width != from.width || type.scale > from.scale) {
    return nullptr;
  }
  return plan::Expression::Make(operation == Operation::Round ? Operation::Cast : operation, type,
                                {operand});
}

}  // namespace

std::optional<CapturedExpression> ExpressionCapture::MathFunction(
    const duckdb::Expression& expression) const {
  const Expressions& arguments = ArgumentsOf(expression);
  const std::string& name = FunctionName(expression);
  const std::optional<Operation> operation = MathOperation(name);
  if (!operation) {
    return std::nullopt;
  }
  const plan::Type type = *ToPlanType(ReturnType(expression));
  if (*operation == Operation::Greatest || *operation == Operation::Least) {
    return Extreme(*operation, expression);
  }
  const bool takes_digits = *operation == Operation::Round || *operation == Operation::Truncate;
  if (arguments.empty() || arguments.size() > (takes_digits ? 2 : 1)) {
    return std::nullopt;
  }
  CapturedExpression operand = Capture(*arguments[0]);
  if (!operand) {
    return operand;
  }
  const plan::Type& from = operand.expression->GetType();
  std::optional<int32_t> digits;
  if (arguments.size() == 2) {
    digits = DigitsOf(*arguments[1]);
  }
  if (!IsNumber(from) || (arguments.size() == 2 && !digits)) {
    return NotSupported(name, from);
  }
  switch (*operation) {
    case Operation::Absolute:
      return type == from ? Accept(plan::Expression::Make(*operation, type, {operand.expression}))
                          : NotSupported(name, from);
    case Operation::Sign:
      return type.kind == TypeKind::Int8
                 ? Accept(plan::Expression::Make(*operation, type, {operand.expression}))
                 : NotSupported(name, from);
    default: {
      plan::ExpressionPointer rounded = Rounding(*operation, type, operand.expression, digits);
      return rounded != nullptr ? Accept(std::move(rounded)) : NotSupported(name, from);
    }
  }
}

CapturedExpression ExpressionCapture::Extreme(Operation operation,
                                              const duckdb::Expression& expression) const {
  const std::string& name = FunctionName(expression);
  const plan::Type type = *ToPlanType(ReturnType(expression));
  if (type.IsVarchar()) {
    return RefuseText("a VARCHAR of several columns", expression);
  }
  if (type.kind == TypeKind::Float32 || type.kind == TypeKind::UInt128) {
    return NotSupported(name, type);
  }
  std::vector<plan::ExpressionPointer> operands;
  for (const auto& child : ArgumentsOf(expression)) {
    CapturedExpression operand = Capture(*child);
    if (!operand) {
      return operand;
    }
    if (operand.expression->GetType() != type) {
      return NotSupported(name, operand.expression->GetType());
    }
    operands.push_back(std::move(operand.expression));
  }
  return Accept(plan::Expression::Make(operation, type, std::move(operands)));
}

}  // namespace margay::integration
