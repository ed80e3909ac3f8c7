#include "optimize/value/cast_builder.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "optimize/unsupported.hpp"

namespace margay::optimize {

using plan::Type;
using plan::TypeKind;

namespace {

constexpr Int128 kInfiniteTimestamp = INT64_MAX;

//! Up to here every integer is a double of its own.
constexpr Int128 kExactInDouble = static_cast<Int128>(1) << 53;
constexpr Int128 kExactInFloat = static_cast<Int128>(1) << 24;

//! The double that C has for 1e<exponent>.
double PowerOfTenReal(int exponent) {
  return std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
}

Range Symmetric(Int128 bound) {
  return {-bound, bound, true};
}

}  // namespace

void CastBuilder::Fail(Value& value, const Node* condition) {
  if (is_try_)
    value.null = builder_.Either(value.null, condition);
  else
    builder_.RaiseFault(condition, value.null);
}

Value CastBuilder::Build(const plan::Expression& expression) {
  is_try_ = expression.GetOperation() == plan::Operation::TryCast;
  const Type& from = expression.Operand(0).GetType();
  const Type& to = expression.GetType();
  if (from.IsVarchar() || to.IsVarchar())
    throw Unsupported("cast from " + from.ToString() + " to " + to.ToString());
  Value value = builder_.Build(expression.Operands()[0]);
  if (from == to)
    return value;
  if (to.IsBoolean())
    return ToBoolean(value);
  // A flag is no number in the vector dialect.
  if (from.IsBoolean())
    value.node = graph_.Call(Machine::Int32, "(int)", {value.node});
  if (from.kind == TypeKind::Date && to.kind == TypeKind::Timestamp)
    return DateToTimestamp(value);
  if (from.kind == TypeKind::Timestamp && to.kind == TypeKind::Date)
    return TimestampToDate(value);
  if (from.IsFloat() && to.IsFloat()) {
    if (to.kind == TypeKind::Float32)
      return DoubleToFloat(value);
    value.node = AsDouble(value);
    return value;
  }
  if (from.IsFloat()) {
    return to.kind == TypeKind::Decimal ? FloatToDecimal(value, from, to)
                                        : FloatToIntegral(value, from, to);
  }
  if (to.IsFloat()) {
    return from.kind == TypeKind::Decimal ? DecimalToFloat(value, from, to)
                                          : IntegralToFloat(value, from, to);
  }
  return IntegralToIntegral(value, from, to);
}

Value CastBuilder::ToBoolean(const Value& value) {
  const Machine machine = value.GetMachine();
  Value result;
  result.range = result.domain = {0, 1, true};
  result.null = value.null;
  if (machine == Machine::Wide) {
    result.node = graph_.Not(
        graph_.Call(Machine::Int32, "wide_equal", {value.node, graph_.Literal(0, machine)}));
  } else if (IsFloat(machine)) {
    result.node = graph_.Infix(Machine::Int32, "!=", value.node, graph_.Real(0, machine));
  } else {
    result.node = graph_.Compare("!=", value.node, graph_.Literal(0, machine));
  }
  return result;
}

Value CastBuilder::IntegralToIntegral(Value value, const Type& from, const Type& to) {
  if (from.kind == TypeKind::Decimal && to.kind == TypeKind::Decimal)
    return DecimalToDecimal(value, from, to);
  // DuckDB's TRUE is the least step of a decimal that has no room for a 1, and no error.
  if (from.IsBoolean() && to.kind == TypeKind::Decimal && to.width == to.scale)
    return value;
  if (to.kind == TypeKind::Decimal) {
    value = builder_.Bounded(value, Symmetric(PowerOfTen(to.width - to.scale) - 1), is_try_);
    return Scaled(value, to.scale);
  }
  if (from.kind == TypeKind::Decimal)
    value = Rounded(value, from.scale);
  return builder_.Bounded(value, RangeOf(to), is_try_);
}

Value CastBuilder::DecimalToDecimal(Value value, const Type& from, const Type& to) {
  if (to.scale < from.scale) {
    return builder_.Bounded(Rounded(value, from.scale - to.scale),
                            Symmetric(PowerOfTen(to.width) - 1), is_try_);
  }
  const int exponent = to.scale - from.scale;
  value = builder_.Bounded(value, Symmetric(PowerOfTen(to.width - exponent) - 1), is_try_);
  return Scaled(value, exponent);
}

Value CastBuilder::Scaled(const Value& value, int exponent) {
  if (exponent == 0)
    return value;
  const Range factor = Range::Of(PowerOfTen(exponent));
  Value result;
  result.null = value.null;
  result.range = value.range * factor;
  result.domain = value.domain * factor;
  if (!result.range.exact)
    throw std::logic_error("CastBuilder::Scaled: the product does not fit into 128 bits");
  const Machine machine = MachineFor(result.range);
  const Node* operand = builder_.Convert(value, machine);
  const Node* power = graph_.Literal(PowerOfTen(exponent), machine);
  result.node = machine == Machine::Wide
                    ? graph_.Call(Machine::Wide, "wide_multiply", {operand, power})
                    : graph_.Wrapping("*", operand, power);
  return result;
}

Value CastBuilder::Rounded(const Value& value, int exponent) {
  if (exponent == 0)
    return value;
  const Int128 power = PowerOfTen(exponent), half = power / 2;
  const Range widened = value.range + Symmetric(half);
  const auto rounded_range = [&](const Range& range) {
    const auto round = [&](Int128 bound) {
      const Int128 quotient = bound / power, rest = bound % power;
      return quotient + (rest >= half ? 1 : rest <= -half ? -1 : 0);
    };
    return Range{round(range.low), round(range.high), true};
  };
  Value result;
  result.null = value.null;
  result.range = rounded_range(value.range);
  result.domain = rounded_range(value.domain);
  const Machine machine =
      MachineFor(widened.exact ? widened.Union(Range::Of(power)) : Range::All());
  const Node* operand = builder_.Convert(value, machine);
  const Node* divisor = graph_.Literal(power, machine);
  const Node* half_away =
      graph_.Select(builder_.Less(operand, graph_.Literal(0, machine)),
                    graph_.Literal(-half, machine), graph_.Literal(half, machine));
  const Node* quotient =
      machine == Machine::Wide
          ? graph_.CallOutput(
                Machine::Wide, Machine::Wide, "wide_divide",
                {graph_.Call(Machine::Wide, "wide_add", {operand, half_away}), divisor})
          : graph_.Infix(machine, "/", graph_.Wrapping("+", operand, half_away), divisor);
  result.node = graph_.Convert(quotient, MachineFor(result.range));
  return result;
}

const Node* CastBuilder::WordOf(const Value& value, const Type& type) {
  if (value.GetMachine() != Machine::Wide)
    return value.node;
  // Unsigned numbers of 64 bits are computed in 128.
  return RangeOf(type).low < 0 ? graph_.Convert(value.node, Machine::Int64)
                               : graph_.Member(value.node, "low");
}

const Node* CastBuilder::ToDouble(const Value& value, const Type& type) {
  if (type.PhysicalBytes() != 16)
    return graph_.Call(Machine::Float64, "(double)", {WordOf(value, type)});
  if (value.GetMachine() == Machine::Wide)
    return graph_.Call(Machine::Float64, "wide_to_double", {value.node});
  // DuckDB converts a negative 128-bit integer through its complement, which rounds differently.
  return graph_.Call(Machine::Float64,
                     value.range.low < -kExactInDouble ? "complement_to_double" : "(double)",
                     {value.node});
}

const Node* CastBuilder::ToFloat(const Value& value, const Type& type, Machine machine) {
  if (machine == Machine::Float64)
    return ToDouble(value, type);
  return graph_.Call(Machine::Float32, "(float)",
                     {type.PhysicalBytes() == 16 ? ToDouble(value, type) : WordOf(value, type)});
}

Value CastBuilder::IntegralToFloat(const Value& value, const Type& from, const Type& to) {
  Value result;
  result.null = value.null;
  result.node = ToFloat(value, from, FloatMachine(to));
  return result;
}

Value CastBuilder::DecimalToFloat(const Value& value, const Type& from, const Type& to) {
  const Machine real = FloatMachine(to);
  const Int128 exact = real == Machine::Float32 ? kExactInFloat : kExactInDouble;
  Value result;
  result.null = value.null;
  if (from.scale == 0) {
    result.node = ToFloat(value, from, real);
    return result;
  }
  // 10^scale as the target type has it.
  const Node* power = graph_.Real(PowerOfTenReal(from.scale));
  if (real == Machine::Float32)
    power = graph_.Call(real, "(float)", {power});
  const Node* direct = graph_.Infix(real, "/", ToFloat(value, from, real), power);
  if (Symmetric(exact).Contains(value.range)) {
    result.node = direct;
    return result;
  }
  // Whole and fractional part are converted apart where the integer is not exact in the target.
  const Int128 divisor = PowerOfTen(from.scale);
  const Machine machine = value.GetMachine() == Machine::Wide || !Range::Of(divisor).FitsIn(64)
                              ? Machine::Wide
                              : Machine::Int64;
  const Node* operand = builder_.Convert(value, machine);
  const Node* literal = graph_.Literal(divisor, machine);
  Value whole, fraction;
  whole.range = fraction.range = value.range;
  if (machine == Machine::Wide) {
    whole.node = graph_.CallOutput(machine, machine, "wide_divide", {operand, literal});
    fraction.node = graph_.Output(whole.node);
  } else {
    whole.node = graph_.Infix(machine, "/", operand, literal);
    fraction.node = graph_.Infix(machine, "%", operand, literal);
  }
  const Node* is_inexact = graph_.Or(builder_.Less(graph_.Literal(exact, machine), operand),
                                     builder_.Less(operand, graph_.Literal(-exact, machine)));
  const Node* apart = graph_.Infix(real, "+", ToFloat(whole, from, real),
                                   graph_.Infix(real, "/", ToFloat(fraction, from, real), power));
  result.node = graph_.Select(is_inexact, apart, direct);
  return result;
}

const Node* CastBuilder::AsDouble(const Value& value) {
  return value.GetMachine() == Machine::Float64
             ? value.node
             : graph_.Call(Machine::Float64, "(double)", {value.node});
}

const Node* CastBuilder::IsBetween(const Node* low, bool with_low, const Node* real,
                                   const Node* high) {
  return graph_.And(graph_.Infix(Machine::Int32, with_low ? ">=" : ">", real, low),
                    graph_.Infix(Machine::Int32, "<", real, high));
}

Value CastBuilder::FloatToIntegral(const Value& value, const Type& /*from*/, const Type& to) {
  Value result;
  result.null = value.null;
  result.range = result.domain = RangeOf(to);
  const Machine machine = MachineFor(result.range);
  const Node* real = AsDouble(value);
  const Node* rounded = graph_.Call(Machine::Float64, "rint", {real});
  if (to.kind == TypeKind::Int128) {
    const double limit = std::ldexp(1.0, 127);
    Fail(result, graph_.Not(IsBetween(graph_.Real(-limit), false, real, graph_.Real(limit))));
    result.node = graph_.Call(Machine::Wide, "wide_from_double", {rounded});
    return result;
  }
  const bool is_signed = result.range.low < 0;
  const double limit = std::ldexp(1.0, to.PhysicalBytes() * 8 - (is_signed ? 1 : 0));
  const Node* high = graph_.Real(limit);
  const Node* is_inside = IsBetween(graph_.Real(is_signed ? -limit : 0), true, real, high);
  Fail(result, graph_.Not(is_inside));
  // A value that only rounding brings out of range wraps around in DuckDB; left to it.
  const Node* is_rounded_inside = graph_.Infix(Machine::Int32, "<", rounded, high);
  builder_.RaiseFault(graph_.And(is_inside, graph_.Not(is_rounded_inside)), result.null);
  const Node* safe =
      graph_.Select(graph_.And(is_inside, is_rounded_inside), rounded, graph_.Real(0));
  if (machine == Machine::Wide) {
    result.node = graph_.Call(
        Machine::Wide, "wide_make",
        {graph_.Call(Machine::Int64, "(ulong)", {safe}), graph_.Literal(0, Machine::Int64)});
  } else {
    result.node = graph_.Call(machine, machine == Machine::Int32 ? "(int)" : "(long)", {safe});
  }
  return result;
}

Value CastBuilder::FloatToDecimal(const Value& value, const Type& from, const Type& to) {
  Value result;
  result.null = value.null;
  const Node* scaled = graph_.Call(Machine::Float64, "round",
                                   {graph_.Infix(Machine::Float64, "*", AsDouble(value),
                                                 graph_.Real(PowerOfTenReal(to.scale)))});
  const double limit = PowerOfTenReal(to.width);
  const Node* is_inside = IsBetween(graph_.Real(-limit), false, scaled, graph_.Real(limit));
  Fail(result, graph_.Not(is_inside));
  const Node* safe = graph_.Select(is_inside, scaled, graph_.Real(0));
  if (from.kind == TypeKind::Float32) {
    safe = graph_.Call(Machine::Float64, "(double)",
                       {graph_.Call(Machine::Float32, "(float)", {safe})});
  }
  // Converting back to FLOAT may round up beyond the limit by one part in 2^24.
  const Int128 power = PowerOfTen(to.width);
  result.range = result.domain = Symmetric(power + (power >> 23) + 1);
  const Machine machine = MachineFor(result.range);
  if (machine == Machine::Wide) {
    result.node = graph_.Call(machine, "wide_from_double", {safe});
  } else {
    result.node = graph_.Call(machine, machine == Machine::Int32 ? "(int)" : "(long)",
                              {graph_.Call(Machine::Float64, "rint", {safe})});
  }
  return result;
}

Value CastBuilder::DoubleToFloat(Value value) {
  const Node* real = value.node;
  value.node = graph_.Call(Machine::Float32, "(float)", {real});
  Fail(value, graph_.And(graph_.Call(Machine::Int32, "isinf", {value.node}),
                         graph_.Not(graph_.Call(Machine::Int32, "isinf", {real}))));
  return value;
}

Value CastBuilder::DateToTimestamp(Value value) {
  if (value.range.high >= kInfiniteDate || value.range.low <= -kInfiniteDate) {
    const Node* days = builder_.Convert(value, Machine::Int64);
    builder_.RaiseFault(
        graph_.Or(graph_.Compare(">=", days, graph_.Literal(kInfiniteDate, Machine::Int64)),
                  graph_.Compare("<=", days, graph_.Literal(-kInfiniteDate, Machine::Int64))),
        value.null);
  }
  const Int128 limit = (kInfiniteTimestamp - 1) / kMicrosecondsPerDay;
  value = builder_.Bounded(value, Symmetric(limit), is_try_);
  Value result;
  result.null = value.null;
  result.range = value.range * Range::Of(kMicrosecondsPerDay);
  result.domain = value.domain * Range::Of(kMicrosecondsPerDay);
  if (!result.range.FitsIn(64))
    result.range = Symmetric(kInfiniteTimestamp - 1);
  result.node = graph_.Wrapping("*", builder_.Convert(value, Machine::Int64),
                                graph_.Literal(kMicrosecondsPerDay, Machine::Int64));
  return result;
}

Value CastBuilder::TimestampToDate(const Value& value) {
  const Node* micros = builder_.Convert(value, Machine::Int64);
  if (value.range.high >= kInfiniteTimestamp || value.range.low <= -kInfiniteTimestamp) {
    builder_.RaiseFault(
        graph_.Or(
            graph_.Compare("==", micros, graph_.Literal(kInfiniteTimestamp, Machine::Int64)),
            graph_.Compare("<=", micros, graph_.Literal(-kInfiniteTimestamp, Machine::Int64))),
        value.null);
  }
  const auto floor = [](Int128 bound) {
    return bound / kMicrosecondsPerDay - (bound % kMicrosecondsPerDay < 0 ? 1 : 0);
  };
  Value result;
  result.null = value.null;
  result.range = {floor(value.range.low), floor(value.range.high), true};
  result.domain = {floor(value.domain.low), floor(value.domain.high), true};
  result.node = graph_.Call(Machine::Int32, "floor_divide",
                            {micros, graph_.Literal(kMicrosecondsPerDay, Machine::Int64)});
  return result;
}

}  // namespace margay::optimize
