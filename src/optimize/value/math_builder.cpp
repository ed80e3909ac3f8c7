#include "optimize/value/math_builder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace margay::optimize {

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
      throw std::logic_error("MathBuilder: no rounding");
  }
}

}  // namespace

Value MathBuilder::BuildAbsolute(const plan::Expression& expression) {
  const plan::Type& type = expression.GetType();
  Value value = builder_.Build(expression.Operands()[0]);
  if (type.IsFloat()) {
    value.node = graph_.Call(value.GetMachine(), "fabs", {value.node});
    return value;
  }
  // The lowest value of a signed integer has no absolute value.
  const Int128 highest = type.HighestValue();
  value = builder_.Bounded(value, {-highest, highest, true});
  if (value.range.low >= 0)
    return value;
  if (value.GetMachine() == Machine::Wide) {
    value.node = graph_.Call(Machine::Wide, "wide_magnitude", {value.node});
  } else {
    const Node* zero = graph_.Literal(0, value.GetMachine());
    value.node = graph_.Select(builder_.Less(value.node, zero),
                               graph_.Wrapping("-", zero, value.node), value.node);
  }
  value.range = Absolute(value.range);
  value.domain = Absolute(value.domain);
  return value;
}

Value MathBuilder::BuildSign(const plan::Expression& expression) {
  const Value operand = builder_.Build(expression.Operands()[0]);
  const Machine machine = operand.GetMachine();
  Value value;
  value.null = operand.null;
  value.range = value.domain = {-1, 1, true};
  if (IsFloat(machine)) {
    // NaN is neither.
    const Node* zero = graph_.Real(0, machine);
    value.node = graph_.Sign(graph_.Infix(Machine::Int32, ">", operand.node, zero),
                             graph_.Infix(Machine::Int32, "<", operand.node, zero));
    return value;
  }
  value.range = {Sign(operand.range.low), Sign(operand.range.high), true};
  value.domain = {Sign(operand.domain.low), Sign(operand.domain.high), true};
  const Node* zero = graph_.Literal(0, machine);
  value.node = graph_.Sign(builder_.Less(zero, operand.node), builder_.Less(operand.node, zero));
  return value;
}

Value MathBuilder::BuildRounding(const plan::Expression& expression) {
  const Value value = builder_.Build(expression.Operands()[0]);
  return expression.GetType().IsFloat() ? RoundFloat(expression, value)
                                        : RoundDecimal(expression, value);
}

Value MathBuilder::RoundFloat(const plan::Expression& expression, Value value) {
  const std::string function = RoundingFunction(expression.GetOperation());
  const Machine machine = value.GetMachine();
  if (expression.Operands().size() == 1) {
    value.node = graph_.Call(machine, function, {value.node});
    return value;
  }
  // To digits after the point: as DuckDB does it, in doubles, which need not give the nearest one.
  const auto digits = static_cast<int>(expression.Operand(1).GetConstant().integer);
  const Node* power =
      builder_.Real(std::pow(10, std::abs(static_cast<double>(digits))), Machine::Float64);
  const Node* real = machine == Machine::Float32
                         ? graph_.Call(Machine::Float64, "(double)", {value.node})
                         : value.node;
  const char *scale = digits < 0 ? "/" : "*", *rescale = digits < 0 ? "*" : "/";
  const Node* rounded = graph_.Infix(
      Machine::Float64, rescale,
      graph_.Call(Machine::Float64, function, {graph_.Infix(Machine::Float64, scale, real, power)}),
      power);
  const bool gives_zero = digits < 0 && expression.GetOperation() == Operation::Round;
  const Node* otherwise = gives_zero ? graph_.Real(0, machine) : value.node;
  const Node* result =
      machine == Machine::Float32 ? graph_.Call(Machine::Float32, "(float)", {rounded}) : rounded;
  value.node = graph_.Select(graph_.Call(Machine::Int32, "isfinite", {rounded}), result, otherwise);
  return value;
}

Value MathBuilder::RoundDecimal(const plan::Expression& expression, const Value& value) {
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
  const Machine machine = std::max(value.GetMachine(), MachineFor(Range::Of(power)));
  const Node* operand = builder_.Convert(value, machine);
  const Node* divisor = graph_.Literal(power, machine);
  const Node *quotient = nullptr, *rest = nullptr;
  if (machine == Machine::Wide) {
    quotient = graph_.CallOutput(Machine::Wide, Machine::Wide, "wide_divide", {operand, divisor});
    rest = graph_.Output(quotient);
  } else {
    quotient = graph_.Infix(machine, "/", operand, divisor);
    rest = graph_.Infix(machine, "%", operand, divisor);
  }
  if (operation != Operation::Truncate) {
    const bool is_ceiling = operation == Operation::Ceiling;
    const Node* zero = graph_.Literal(0, machine);
    const Node* step = is_ceiling ? builder_.Less(zero, rest) : builder_.Less(rest, zero);
    if (machine == Machine::Wide) {
      quotient = graph_.Call(Machine::Wide, is_ceiling ? "wide_add" : "wide_subtract",
                             {quotient, graph_.Convert(step, Machine::Wide)});
    } else {
      quotient = graph_.Infix(machine, is_ceiling ? "+" : "-", quotient, step);
    }
  }
  result.node = graph_.Convert(quotient, MachineFor(result.range));
  return result;
}

Value MathBuilder::BuildExtreme(const plan::Expression& expression) {
  const bool is_greatest = expression.GetOperation() == Operation::Greatest;
  Value best = builder_.Build(expression.Operands()[0]);
  for (size_t i = 1; i < expression.Operands().size(); i++) {
    const Value next = builder_.Build(expression.Operands()[i]);
    // Of equal ones the first stays; NULLs don't count.
    const Node* is_better = builder_.Compare(is_greatest ? Operation::Greater : Operation::Less,
                                             next, best, expression.GetType().IsBoolean());
    is_better = builder_.Either(is_better, best.null);
    if (next.CanBeNull())
      is_better = graph_.And(is_better, graph_.Not(next.null));
    const bool has_null = best.CanBeNull() || next.CanBeNull();
    const auto combined = [&](const Range& a, const Range& b) {
      if (has_null)
        return a.Union(b);
      return is_greatest ? Range{std::max(a.low, b.low), std::max(a.high, b.high), true}
                         : Range{std::min(a.low, b.low), std::min(a.high, b.high), true};
    };
    Value chosen = builder_.Choose(is_better, next, best, expression.GetType());
    chosen.null = best.CanBeNull() && next.CanBeNull() ? graph_.And(best.null, next.null) : nullptr;
    if (!expression.GetType().IsFloat()) {
      chosen.range = combined(best.range, next.range);
      chosen.domain = combined(best.domain, next.domain);
    }
    best = chosen;
  }
  return best;
}

}  // namespace margay::optimize
