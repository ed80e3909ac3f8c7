#include "compile/cast_writer.hpp"

#include <algorithm>
#include <stdexcept>

#include "compile/refusal.hpp"

namespace margay::compile {

using plan::Type;
using plan::TypeKind;

namespace {

constexpr Int128 kInfiniteTimestamp = INT64_MAX;

//! Up to here every integer is a double of its own.
constexpr Int128 kExactInDouble = static_cast<Int128>(1) << 53;
constexpr Int128 kExactInFloat = static_cast<Int128>(1) << 24;

std::string PowerOfTenReal(int exponent) {
  return "1e" + std::to_string(exponent);
}

//! 2 to the power of `exponent` as a double literal.
std::string PowerOfTwoReal(int exponent) {
  return std::to_string(static_cast<uint64_t>(1) << std::min(exponent, 63)) + ".0" +
         (exponent > 63 ? " * " + std::to_string(static_cast<uint64_t>(1) << (exponent - 63)) + ".0"
                        : "");
}

//! Integers and decimals.
bool IsNumber(const Type& type) {
  return !type.IsFloat() && !type.IsBoolean() && type.kind != TypeKind::Date &&
         type.kind != TypeKind::Timestamp;
}

Range Symmetric(Int128 bound) {
  return {-bound, bound, true};
}

}  // namespace

void CastWriter::Fail(Value& value, const std::string& condition) {
  const std::string flag = writer_.DeclareFlag(condition);
  if (is_try_) {
    value.null = writer_.EitherNull(value.null, flag);
  } else {
    writer_.RaiseFault(flag, value.null);
  }
}

Value CastWriter::Write(const plan::Expression& expression) {
  is_try_ = expression.GetOperation() == plan::Operation::TryCast;
  const Type& from = expression.Operand(0).GetType();
  const Type& to = expression.GetType();
  if (from.IsVarchar() || to.IsVarchar()) {
    throw Unsupported("cast from " + from.ToString() + " to " + to.ToString());
  }
  const Value value = writer_.Write(expression.Operands()[0]);
  if (from == to)
    return value;
  if (!IsNumber(from) || !IsNumber(to))
    writer_.dialect_.RequireRow();
  if (to.IsBoolean())
    return WriteToBoolean(value);
  if (from.kind == TypeKind::Date && to.kind == TypeKind::Timestamp) {
    return WriteDateToTimestamp(value);
  }
  if (from.kind == TypeKind::Timestamp && to.kind == TypeKind::Date) {
    return WriteTimestampToDate(value);
  }
  if (from.IsFloat() && to.IsFloat()) {
    if (to.kind == TypeKind::Float32)
      return WriteDoubleToFloat(value);
    Value result = value;
    result.machine = Machine::Float64;
    result.code = writer_.Declare(Machine::Float64, "(double)" + value.code);
    return result;
  }
  if (from.IsFloat()) {
    return to.kind == TypeKind::Decimal ? WriteFloatToDecimal(value, from, to)
                                        : WriteFloatToIntegral(value, from, to);
  }
  if (to.IsFloat()) {
    return from.kind == TypeKind::Decimal ? WriteDecimalToFloat(value, from, to)
                                          : WriteIntegralToFloat(value, from, to);
  }
  return WriteIntegralToIntegral(value, from, to);
}

Value CastWriter::WriteToBoolean(const Value& value) {
  Value result;
  result.range = result.domain = {0, 1, true};
  result.null = value.null;
  result.code =
      writer_.DeclareFlag(value.machine == Machine::Wide
                              ? "(" + value.code + ".low | (ulong)" + value.code + ".high) != 0"
                              : "(" + value.code + " != 0)");
  return result;
}

Value CastWriter::WriteIntegralToIntegral(Value value, const Type& from, const Type& to) {
  if (from.kind == TypeKind::Decimal && to.kind == TypeKind::Decimal) {
    return WriteDecimalToDecimal(value, from, to);
  }
  // DuckDB's TRUE is the least step of a decimal that has no room for a 1, and no error.
  if (from.IsBoolean() && to.kind == TypeKind::Decimal && to.width == to.scale)
    return value;
  if (to.kind == TypeKind::Decimal) {
    value = writer_.Bounded(value, Symmetric(PowerOfTen(to.width - to.scale) - 1), is_try_);
    return Scaled(value, to.scale);
  }
  if (from.kind == TypeKind::Decimal)
    value = Rounded(value, from.scale);
  return writer_.Bounded(value, RangeOf(to), is_try_);
}

Value CastWriter::WriteDecimalToDecimal(Value value, const Type& from, const Type& to) {
  if (to.scale < from.scale) {
    return writer_.Bounded(Rounded(value, from.scale - to.scale),
                           Symmetric(PowerOfTen(to.width) - 1), is_try_);
  }
  const int exponent = to.scale - from.scale;
  value = writer_.Bounded(value, Symmetric(PowerOfTen(to.width - exponent) - 1), is_try_);
  return Scaled(value, exponent);
}

Value CastWriter::Scaled(const Value& value, int exponent) {
  if (exponent == 0)
    return value;
  const Range factor = Range::Of(PowerOfTen(exponent));
  Value result;
  result.null = value.null;
  result.range = value.range * factor;
  result.domain = value.domain * factor;
  if (!result.range.exact)
    throw std::logic_error("CastWriter::Scaled: the product does not fit into 128 bits");
  result.machine = MachineFor(result.range);
  const std::string literal = IntegerLiteral(PowerOfTen(exponent), result.machine);
  const std::string operand = writer_.Convert(value, result.machine);
  result.code = writer_.Declare(
      result.machine,
      result.machine == Machine::Wide
          ? "wide_multiply(" + operand + ", " + literal + ")"
          : writer_.dialect_.Wrapping(result.machine, operand, "*",
                                      writer_.dialect_.Constant(literal, result.machine)));
  return result;
}

Value CastWriter::Rounded(const Value& value, int exponent) {
  if (exponent == 0)
    return value;
  writer_.dialect_.RequireRow();
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
  const std::string operand = writer_.Convert(value, machine);
  const std::string divisor = IntegerLiteral(power, machine);
  const std::string up = IntegerLiteral(half, machine), down = IntegerLiteral(-half, machine);
  Value quotient = result;
  quotient.machine = machine;
  if (machine == Machine::Wide) {
    const std::string rest = "v" + std::to_string(writer_.context_.variables++);
    writer_.block_.Line("wide " + rest + ";");
    quotient.code = writer_.Declare(Machine::Wide, "wide_divide(wide_add(" + operand + ", " +
                                                       operand + ".high < 0 ? " + down + " : " +
                                                       up + "), " + divisor + ", &" + rest + ")");
  } else {
    const std::string half_away = "(" + operand + " < 0 ? " + down + " : " + up + ")";
    quotient.code = writer_.Declare(
        machine, writer_.dialect_.Wrapping(machine, operand, "+", half_away) + " / " + divisor);
  }
  result.machine = MachineFor(result.range);
  result.code = result.machine == machine
                    ? quotient.code
                    : writer_.Declare(result.machine, writer_.Convert(quotient, result.machine));
  return result;
}

//! A value of a type of up to 64 bits as a number of such a type, whatever it is computed in.
static std::string WordOf(const Value& value, const Type& type) {
  if (value.machine != Machine::Wide)
    return value.code;
  return (RangeOf(type).low < 0 ? "(long)" : "") + value.code + ".low";
}

std::string CastWriter::ToDouble(const Value& value, const Type& type) {
  const bool is_128_bits = type.PhysicalBytes() == 16;
  if (!is_128_bits)
    return "(double)" + WordOf(value, type);
  if (value.machine == Machine::Wide) {
    return "(" + value.code + ".high == -1 ? -(double)(~" + value.code + ".low) - 1.0 : (double)" +
           value.code + ".low + (double)" + value.code + ".high * 18446744073709551616.0)";
  }
  if (value.range.low < -kExactInDouble) {
    // DuckDB converts a negative 128-bit integer through its complement, which rounds differently.
    return "(" + value.code + " < 0 ? -(double)(~" + value.code + ") - 1.0 : (double)" +
           value.code + ")";
  }
  return "(double)" + value.code;
}

Value CastWriter::WriteIntegralToFloat(const Value& value, const Type& from, const Type& to) {
  Value result;
  result.null = value.null;
  if (to.kind == TypeKind::Float64) {
    result.machine = Machine::Float64;
    result.code = writer_.Declare(Machine::Float64, ToDouble(value, from));
    return result;
  }
  result.machine = Machine::Float32;
  if (from.PhysicalBytes() == 16) {
    result.code = writer_.Declare(Machine::Float32, "(float)(" + ToDouble(value, from) + ")");
  } else {
    result.code = writer_.Declare(Machine::Float32, "(float)" + WordOf(value, from));
  }
  return result;
}

Value CastWriter::WriteDecimalToFloat(const Value& value, const Type& from, const Type& to) {
  const bool is_float = to.kind == TypeKind::Float32;
  const Int128 exact = is_float ? kExactInFloat : kExactInDouble;
  const std::string name = is_float ? "float" : "double";
  // 10^scale as the target type has it.
  const std::string power = "(" + name + ")" + PowerOfTenReal(from.scale);
  // DuckDB's Cast of the integer to the target type.
  const auto cast = [&](const Value& integer) {
    if (!is_float)
      return ToDouble(integer, from);
    if (from.PhysicalBytes() == 16)
      return "(float)(" + ToDouble(integer, from) + ")";
    return "(float)" + WordOf(integer, from);
  };
  Value result;
  result.null = value.null;
  result.machine = is_float ? Machine::Float32 : Machine::Float64;
  if (from.scale == 0) {
    result.code = writer_.Declare(result.machine, cast(value));
    return result;
  }
  const std::string direct = cast(value) + " / " + power;
  if (Symmetric(exact).Contains(value.range)) {
    result.code = writer_.Declare(result.machine, direct);
    return result;
  }
  // Whole and fractional part are converted apart where the integer is not exact in the target.
  const Int128 divisor = PowerOfTen(from.scale);
  Value whole, fraction;
  const Machine machine = value.machine == Machine::Wide || !Range::Of(divisor).FitsIn(64)
                              ? Machine::Wide
                              : Machine::Int64;
  const std::string operand = writer_.Convert(value, machine);
  const std::string literal = IntegerLiteral(divisor, machine);
  whole.machine = fraction.machine = machine;
  whole.range = fraction.range = value.range;
  if (machine == Machine::Wide) {
    const std::string rest = "v" + std::to_string(writer_.context_.variables++);
    writer_.block_.Line("wide " + rest + ";");
    whole.code =
        writer_.Declare(machine, "wide_divide(" + operand + ", " + literal + ", &" + rest + ")");
    fraction.code = rest;
  } else {
    whole.code = writer_.Declare(machine, operand + " / " + literal);
    fraction.code = writer_.Declare(machine, operand + " % " + literal);
  }
  const std::string bound = IntegerLiteral(exact, machine), low = IntegerLiteral(-exact, machine);
  const std::string is_inexact =
      writer_.DeclareFlag(writer_.dialect_.Less(machine, bound, operand) + " | " +
                          writer_.dialect_.Less(machine, operand, low));
  result.code =
      writer_.Declare(result.machine, is_inexact + " ? " + cast(whole) + " + " + cast(fraction) +
                                          " / " + power + " : " + direct);
  return result;
}

Value CastWriter::WriteFloatToIntegral(const Value& value, const Type& from, const Type& to) {
  Value result;
  result.null = value.null;
  result.range = result.domain = RangeOf(to);
  result.machine = MachineFor(result.range);
  const std::string real = from.kind == TypeKind::Float32
                               ? writer_.Declare(Machine::Float64, "(double)" + value.code)
                               : value.code;
  if (to.kind == TypeKind::Int128) {
    const std::string limit = PowerOfTwoReal(127);
    Fail(result, "!((" + real + " > -(" + limit + ")) & (" + real + " < " + limit + "))");
    result.code = writer_.Declare(Machine::Wide, "wide_from_double(rint(" + real + "))");
    return result;
  }
  const bool is_signed = RangeOf(to).low < 0;
  const int bits = to.PhysicalBytes() * 8 - (is_signed ? 1 : 0);
  const std::string high = PowerOfTwoReal(bits);
  const std::string low = is_signed ? "-(" + high + ")" : "0.0";
  // A value that only rounding brings out of range wraps around in DuckDB; left to it.
  const std::string rounded = writer_.Declare(Machine::Float64, "rint(" + real + ")");
  const std::string is_inside =
      writer_.DeclareFlag("(" + real + " >= " + low + ") & (" + real + " < " + high + ")");
  Fail(result, "!" + is_inside);
  writer_.RaiseFault("(" + is_inside + " & !(" + rounded + " < " + high + "))", result.null);
  const std::string safe = writer_.Declare(
      Machine::Float64, is_inside + " & (" + rounded + " < " + high + ") ? " + rounded + " : 0.0");
  if (result.machine == Machine::Wide) {
    result.code = writer_.Declare(Machine::Wide, "wide_make((ulong)" + safe + ", 0)");
  } else {
    result.code = writer_.Declare(result.machine,
                                  "(" + std::string(MachineName(result.machine)) + ")" + safe);
  }
  return result;
}

Value CastWriter::WriteFloatToDecimal(const Value& value, const Type& from, const Type& to) {
  Value result;
  result.null = value.null;
  const std::string scaled = writer_.Declare(
      Machine::Float64, "round((double)" + value.code + " * " + PowerOfTenReal(to.scale) + ")");
  const std::string limit = PowerOfTenReal(to.width);
  const std::string is_inside =
      writer_.DeclareFlag("(" + scaled + " > -" + limit + ") & (" + scaled + " < " + limit + ")");
  Fail(result, "!" + is_inside);
  std::string safe = writer_.Declare(Machine::Float64, is_inside + " ? " + scaled + " : 0.0");
  if (from.kind == TypeKind::Float32) {
    safe = writer_.Declare(Machine::Float64, "(double)(float)" + safe);
  }
  // Converting back to FLOAT may round up beyond the limit by one part in 2^24.
  const Int128 power = PowerOfTen(to.width);
  result.range = result.domain = Symmetric(power + (power >> 23) + 1);
  result.machine = MachineFor(result.range);
  result.code = writer_.Declare(
      result.machine, result.machine == Machine::Wide
                          ? "wide_from_double(" + safe + ")"
                          : "(" + std::string(MachineName(result.machine)) + ")rint(" + safe + ")");
  return result;
}

Value CastWriter::WriteDoubleToFloat(Value value) {
  const std::string real = value.code;
  value.machine = Machine::Float32;
  value.code = writer_.Declare(Machine::Float32, "(float)" + real);
  Fail(value, "isinf(" + value.code + ") & !isinf(" + real + ")");
  return value;
}

Value CastWriter::WriteDateToTimestamp(Value value) {
  const std::string days = writer_.Convert(value, Machine::Int64);
  if (value.range.high >= kInfiniteDate || value.range.low <= -kInfiniteDate) {
    writer_.RaiseFault("((" + days + " >= 2147483647L) | (" + days + " <= -2147483647L))",
                       value.null);
  }
  const Int128 limit = (kInfiniteTimestamp - 1) / kMicrosecondsPerDay;
  value = writer_.Bounded(value, Symmetric(limit), is_try_);
  Value result;
  result.null = value.null;
  result.range = value.range * Range::Of(kMicrosecondsPerDay);
  result.domain = value.domain * Range::Of(kMicrosecondsPerDay);
  result.machine = Machine::Int64;
  if (!result.range.FitsIn(64))
    result.range = Symmetric(kInfiniteTimestamp - 1);
  result.code =
      writer_.Declare(Machine::Int64, writer_.Convert(value, Machine::Int64) + " * 86400000000L");
  return result;
}

Value CastWriter::WriteTimestampToDate(const Value& value) {
  const std::string micros = writer_.Convert(value, Machine::Int64);
  if (value.range.high >= kInfiniteTimestamp || value.range.low <= -kInfiniteTimestamp) {
    writer_.RaiseFault(
        "((" + micros + " == 9223372036854775807L) | (" + micros + " <= -9223372036854775807L))",
        value.null);
  }
  const auto floor = [](Int128 bound) {
    return bound / kMicrosecondsPerDay - (bound % kMicrosecondsPerDay < 0 ? 1 : 0);
  };
  Value result;
  result.null = value.null;
  result.range = {floor(value.range.low), floor(value.range.high), true};
  result.domain = {floor(value.domain.low), floor(value.domain.high), true};
  result.machine = Machine::Int32;
  result.code = writer_.Declare(
      Machine::Int32, "(int)(" + micros + " / 86400000000L - (" + micros + " % 86400000000L < 0))");
  return result;
}

}  // namespace margay::compile
