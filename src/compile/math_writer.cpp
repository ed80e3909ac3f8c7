#include "compile/math_writer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace margay::compile {

using plan::Operation;

namespace {

Range Absolute(const Range& range) {
  if (range.low >= 0)
    return range;
  if (range.high <= 0)
    return {-range.high, -range.low, true};
  return {0, range.Magnitude(), true};
}

Int128 Sign(Int128 value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

std::string RoundingFunction(Operation operation) {
  switch (operation) {
    case Operation::Round:
      return "round";  // half away from zero
    case Operation::Floor:
      return "floor";
    case Operation::Ceiling:
      return "ceil";
    case Operation::Truncate:
      return "trunc";
    default:
      throw std::logic_error("MathWriter: no rounding");
  }
}

}  // namespace

Value MathWriter::WriteAbsolute(const plan::Expression& expression) {
  const plan::Type& type = expression.GetType();
  Value value = writer_.Write(expression.Operands()[0]);
  if (type.IsFloat()) {
    value.code = writer_.Declare(value.machine, "fabs(" + value.code + ")");
    return value;
  }
  // The lowest value of a signed integer has no absolute value.
  const Int128 highest = type.HighestValue();
  value = writer_.Bounded(value, {-highest, highest, true});
  if (value.range.low >= 0)
    return value;
  if (value.machine == Machine::Wide) {
    writer_.dialect_.RequireRow();
    value.code = writer_.Declare(Machine::Wide, "wide_magnitude(" + value.code + ")");
  } else {
    const std::string zero = writer_.dialect_.Constant("0", value.machine);
    value.code = writer_.Declare(
        value.machine,
        writer_.dialect_.Choose(writer_.dialect_.Less(value.machine, value.code, zero),
                                writer_.dialect_.Wrapping(value.machine, zero, "-", value.code),
                                value.code, value.machine));
  }
  value.range = Absolute(value.range);
  value.domain = Absolute(value.domain);
  return value;
}

Value MathWriter::WriteSign(const plan::Expression& expression) {
  const Value operand = writer_.Write(expression.Operands()[0]);
  Value value;
  value.null = operand.null;
  value.range = value.domain = {-1, 1, true};
  std::string is_above, is_below;
  if (expression.Operand(0).GetType().IsFloat()) {
    // NaN is neither.
    is_above = "(" + operand.code + " > 0)";
    is_below = "(" + operand.code + " < 0)";
  } else {
    value.range = {Sign(operand.range.low), Sign(operand.range.high), true};
    value.domain = {Sign(operand.domain.low), Sign(operand.domain.high), true};
    const std::string zero = operand.machine == Machine::Wide
                                 ? "wide_from_long(0)"
                                 : writer_.dialect_.Constant("0", operand.machine);
    is_above = writer_.dialect_.Less(operand.machine, zero, operand.code);
    is_below = writer_.dialect_.Less(operand.machine, operand.code, zero);
  }
  // A flag is -1 in the vector dialect.
  if (writer_.dialect_.IsVector())
    std::swap(is_above, is_below);
  value.code = writer_.Declare(Machine::Int32, is_above + " - " + is_below);
  return value;
}

Value MathWriter::WriteRounding(const plan::Expression& expression) {
  writer_.dialect_.RequireRow();
  const Value value = writer_.Write(expression.Operands()[0]);
  return expression.GetType().IsFloat() ? RoundFloat(expression, value)
                                        : RoundDecimal(expression, value);
}

Value MathWriter::RoundFloat(const plan::Expression& expression, Value value) {
  const std::string function = RoundingFunction(expression.GetOperation());
  if (expression.Operands().size() == 1) {
    value.code = writer_.Declare(value.machine, function + "(" + value.code + ")");
    return value;
  }
  // To digits after the point: as DuckDB does it, in doubles, which need not give the nearest one.
  const auto digits = static_cast<int>(expression.Operand(1).GetConstant().integer);
  const std::string power = writer_.context_.parameters.AddReal(
      std::pow(10, std::abs(static_cast<double>(digits))), Machine::Float64);
  const std::string real = value.machine == Machine::Float32 ? "(double)" + value.code : value.code;
  const std::string scale = digits < 0 ? " / " : " * ", rescale = digits < 0 ? " * " : " / ";
  const std::string rounded = writer_.Declare(
      Machine::Float64, function + "(" + real + scale + power + ")" + rescale + power);
  const bool gives_zero = digits < 0 && expression.GetOperation() == Operation::Round;
  const std::string otherwise = gives_zero ? "0" : value.code;
  value.code = writer_.Declare(
      value.machine, "isfinite(" + rounded + ") ? " +
                         (value.machine == Machine::Float32 ? "(float)" + rounded : rounded) +
                         " : " + otherwise);
  return value;
}

Value MathWriter::RoundDecimal(const plan::Expression& expression, const Value& value) {
  const Operation operation = expression.GetOperation();
  const Int128 power =
      PowerOfTen(expression.Operand(0).GetType().scale - expression.GetType().scale);
  const auto rounded = [&](Int128 integer) {
    const Int128 rest = integer % power;
    const bool is_up = operation == Operation::Ceiling && rest > 0;
    const bool is_down = operation == Operation::Floor && rest < 0;
    return integer / power + (is_up ? 1 : 0) - (is_down ? 1 : 0);
  };
  Value result;
  result.null = value.null;
  result.range = {rounded(value.range.low), rounded(value.range.high), true};
  result.domain = {rounded(value.domain.low), rounded(value.domain.high), true};
  const Machine machine = std::max(value.machine, MachineFor(Range::Of(power)));
  const std::string operand = writer_.Convert(value, machine);
  const std::string divisor = IntegerLiteral(power, machine);
  Value quotient;
  quotient.machine = machine;
  std::string rest_is_above, rest_is_below;
  if (machine == Machine::Wide) {
    const std::string rest = "v" + std::to_string(writer_.context_.variables++);
    writer_.block_.Line("wide " + rest + ";");
    quotient.code =
        writer_.Declare(machine, "wide_divide(" + operand + ", " + divisor + ", &" + rest + ")");
    rest_is_above = "wide_less(wide_from_long(0), " + rest + ")";
    rest_is_below = "wide_less(" + rest + ", wide_from_long(0))";
  } else {
    quotient.code = writer_.Declare(machine, operand + " / " + divisor);
    rest_is_above = "(" + operand + " % " + divisor + " > 0)";
    rest_is_below = "(" + operand + " % " + divisor + " < 0)";
  }
  if (operation != Operation::Truncate) {
    const bool is_ceiling = operation == Operation::Ceiling;
    const std::string step = is_ceiling ? rest_is_above : rest_is_below;
    quotient.code =
        writer_.Declare(machine, machine == Machine::Wide
                                     ? std::string(is_ceiling ? "wide_add(" : "wide_subtract(") +
                                           quotient.code + ", wide_from_long(" + step + "))"
                                     : quotient.code + (is_ceiling ? " + " : " - ") + step);
  }
  result.machine = MachineFor(result.range);
  result.code = result.machine == machine
                    ? quotient.code
                    : writer_.Declare(result.machine, writer_.Convert(quotient, result.machine));
  return result;
}

Value MathWriter::WriteExtreme(const plan::Expression& expression) {
  const bool is_greatest = expression.GetOperation() == Operation::Greatest;
  // Flags are in no order in the vector dialect.
  if (expression.GetType().IsBoolean())
    writer_.dialect_.RequireRow();
  Value best = writer_.Write(expression.Operands()[0]);
  for (size_t i = 1; i < expression.Operands().size(); i++) {
    const Value next = writer_.Write(expression.Operands()[i]);
    // Of equal ones the first stays; NULLs don't count.
    std::string is_better =
        writer_.CompareCode(is_greatest ? Operation::Greater : Operation::Less, next, best);
    if (best.CanBeNull())
      is_better = "(" + is_better + " | " + best.null + ")";
    if (next.CanBeNull())
      is_better += " & !" + next.null;
    const bool has_null = best.CanBeNull() || next.CanBeNull();
    const auto combined = [&](const Range& a, const Range& b) {
      if (has_null)
        return a.Union(b);
      return is_greatest ? Range{std::max(a.low, b.low), std::max(a.high, b.high), true}
                         : Range{std::min(a.low, b.low), std::min(a.high, b.high), true};
    };
    const Range range = combined(best.range, next.range);
    const Range domain = combined(best.domain, next.domain);
    const std::string null = best.CanBeNull() && next.CanBeNull()
                                 ? writer_.DeclareFlag(best.null + " & " + next.null)
                                 : "";
    Value chosen = writer_.Choose(writer_.DeclareFlag(is_better), next, best, expression.GetType());
    chosen.null = null;
    if (!expression.GetType().IsFloat()) {
      chosen.range = range;
      chosen.domain = domain;
    }
    best = chosen;
  }
  return best;
}

}  // namespace margay::compile
