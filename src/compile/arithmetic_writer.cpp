#include "compile/arithmetic_writer.hpp"

#include <algorithm>

#include "compile/refusal.hpp"

namespace margay::compile {

using plan::Operation;
using plan::TypeKind;

namespace {

//! The values that arithmetic of `type` may give; infinite dates are no result of it.
Range ResultBounds(const plan::Type& type) {
  if (type.kind == TypeKind::Date)
    return {-kInfiniteDate + 1, kInfiniteDate - 1, true};
  if (type.kind == TypeKind::Timestamp)
    return kFiniteTimestamps;
  return RangeOf(type);
}

//! Bounds of a / b towards zero, b not 0.
Range QuotientRange(const Range& a, const Range& b) {
  if (b.low == b.high && b.low > 0)
    return {a.low / b.low, a.high / b.low, a.exact};
  if (b.low >= 0)
    return {std::min<Int128>(a.low, 0), std::max<Int128>(a.high, 0), a.exact};
  const Int128 magnitude = a.Magnitude();
  return {-magnitude, magnitude, a.exact && a.low != kInt128Min};
}

//! Bounds of a % b with the sign of a, b not 0.
Range RemainderRange(const Range& a, const Range& b) {
  const Int128 largest = std::min(a.Magnitude(), std::max<Int128>(b.Magnitude() - 1, 0));
  return {a.low < 0 ? -largest : 0, a.high > 0 ? largest : 0, true};
}

}  // namespace

Value ArithmeticWriter::Write(const plan::Expression& expression) {
  const Operation operation = expression.GetOperation();
  Value a = writer_.Write(expression.Operands()[0]);
  if (operation == Operation::Negate) {
    if (expression.GetType().IsFloat()) {
      a.code = writer_.Declare(a.machine, "-" + a.code);
      return a;
    }
    Value zero;
    zero.code = writer_.dialect_.False();
    return WriteInteger(expression, zero, a);
  }
  Value b = writer_.Write(expression.Operands()[1]);
  // An infinite timestamp stays what it is; left to DuckDB.
  if (expression.GetType().kind == TypeKind::Timestamp)
    a = writer_.Bounded(a, kFiniteTimestamps);
  if (!expression.GetType().IsFloat())
    return WriteInteger(expression, a, b);
  Value value;
  value.machine = FloatMachine(expression.GetType());
  value.null = writer_.EitherNull(a.null, b.null);
  const std::string_view symbol = operation == Operation::Add        ? "+"
                                  : operation == Operation::Subtract ? "-"
                                  : operation == Operation::Multiply ? "*"
                                                                     : "/";
  // Infinite, NaN or NULL, as DuckDB's settings have it: left to DuckDB.
  if (operation == Operation::Divide)
    writer_.RaiseFault("(" + b.code + " == 0)", value.null);
  value.code = writer_.Declare(value.machine, a.code + " " + std::string(symbol) + " " + b.code);
  return value;
}

Value ArithmeticWriter::WriteInteger(const plan::Expression& expression, const Value& a,
                                     const Value& b) {
  const Operation operation = expression.GetOperation();
  const bool is_multiply = operation == Operation::Multiply;
  const bool is_add = operation == Operation::Add;
  const auto apply = [&](const Range& x, const Range& y) {
    return is_multiply ? x * y : is_add ? x + y : x - y;
  };
  Value value;
  value.null = writer_.EitherNull(a.null, b.null);
  value.range = apply(a.range, b.range);
  value.domain = apply(a.domain, b.domain);
  const Range bounds = ResultBounds(expression.GetType());
  if (expression.GetType().kind == TypeKind::Date) {
    // An infinite date stays what it is; that is rare enough to be left to DuckDB.
    for (const Value* operand : {&a, &b}) {
      if (operand->range.high >= kInfiniteDate || operand->range.low <= -kInfiniteDate) {
        const std::string code = writer_.Convert(*operand, Machine::Int64);
        writer_.RaiseFault(
            writer_.dialect_.Flag(
                "((" + code + " >= 2147483647L) | (" + code + " <= -2147483647L))", Machine::Int64),
            value.null);
      }
    }
  }
  if (!value.range.exact) {
    // The result may leave even 128 bits: the helper says so.
    const std::string name = is_multiply ? "multiply" : is_add ? "add" : "subtract";
    const std::string overflow = "v" + std::to_string(writer_.context_.variables++);
    writer_.block_.Line("int " + overflow + " = 0;");
    value.machine = Machine::Wide;
    value.code = writer_.Declare(
        Machine::Wide, "wide_" + name + "_checked(" + writer_.Convert(a, Machine::Wide) + ", " +
                           writer_.Convert(b, Machine::Wide) + ", &" + overflow + ")");
    writer_.RaiseFault(overflow, value.null);
    value.range = value.range.CutTo(Range::All());
    value.domain = value.domain.CutTo(Range::All());
    return writer_.Bounded(value, bounds);
  }
  value.machine = MachineFor(value.range);
  if (value.machine == Machine::Wide) {
    if (is_multiply && a.machine != Machine::Wide && b.machine != Machine::Wide) {
      value.code =
          writer_.Declare(Machine::Wide, "wide_multiply_long(" + a.code + ", " + b.code + ")");
    } else {
      const std::string name = is_multiply ? "multiply" : is_add ? "add" : "subtract";
      value.code =
          writer_.Declare(Machine::Wide, "wide_" + name + "(" + writer_.Convert(a, Machine::Wide) +
                                             ", " + writer_.Convert(b, Machine::Wide) + ")");
    }
  } else {
    // Operands may be wider than the result; both are then cut to the result's width, in which the
    // exact result fits.
    value.code = writer_.Declare(
        value.machine, writer_.dialect_.Wrapping(value.machine, writer_.Convert(a, value.machine),
                                                 is_multiply ? "*"
                                                 : is_add    ? "+"
                                                             : "-",
                                                 writer_.Convert(b, value.machine)));
  }
  return writer_.Bounded(value, bounds);
}

Value ArithmeticWriter::WriteDivision(const plan::Expression& expression) {
  writer_.dialect_.RequireRow();
  const bool is_quotient = expression.GetOperation() == Operation::IntegerDivide;
  const Value a = writer_.Write(expression.Operands()[0]);
  const Value b = writer_.Write(expression.Operands()[1]);
  if (expression.GetType().IsFloat()) {
    throw Unsupported(std::string(plan::OperationName(expression.GetOperation())) + " of type " +
                      expression.GetType().ToString());
  }
  Value value;
  value.range = is_quotient ? QuotientRange(a.range, b.range) : RemainderRange(a.range, b.range);
  value.domain =
      is_quotient ? QuotientRange(a.domain, b.domain) : RemainderRange(a.domain, b.domain);
  // The lowest value by -1 is out of the type's range, and of the machine's too if it is as narrow:
  // DuckDB refuses both quotient and remainder.
  const Range operands = a.range.Union(b.range).Union(QuotientRange(a.range, b.range));
  value.machine = MachineFor(operands.exact ? operands : Range::All());
  const std::string dividend = writer_.Convert(a, value.machine),
                    divisor = writer_.Convert(b, value.machine);
  const Int128 lowest = expression.GetType().LowestValue();
  if (lowest < 0 && a.range.low <= lowest && b.range.low < 0) {
    Value low, minus_one;
    low.machine = minus_one.machine = value.machine;
    low.code = IntegerLiteral(lowest, value.machine);
    minus_one.code = IntegerLiteral(-1, value.machine);
    writer_.RaiseFault(
        writer_.DeclareFlag(
            writer_.CompareCode(Operation::Equal, {value.machine, dividend, {}, {}, {}}, low) +
            " & " +
            writer_.CompareCode(Operation::Equal, {value.machine, divisor, {}, {}, {}}, minus_one)),
        writer_.EitherNull(a.null, b.null));
    value.range = value.range.CutTo(RangeOf(expression.GetType()));
    value.domain = value.domain.CutTo(RangeOf(expression.GetType()));
  }
  std::string is_zero;
  if (value.machine == Machine::Wide) {
    is_zero = writer_.DeclareFlag("(" + divisor + ".low == 0) & (" + divisor + ".high == 0)");
    const std::string safe =
        writer_.Declare(Machine::Wide, is_zero + " ? wide_from_long(1) : " + divisor);
    const std::string remainder = "v" + std::to_string(writer_.context_.variables++);
    writer_.block_.Line("wide " + remainder + ";");
    const std::string quotient = writer_.Declare(
        Machine::Wide, "wide_divide(" + dividend + ", " + safe + ", &" + remainder + ")");
    value.code = is_quotient ? quotient : remainder;
  } else {
    is_zero = writer_.DeclareFlag("(" + divisor + " == 0)");
    if (b.range.low >= 0) {
      const std::string safe = writer_.Declare(value.machine, is_zero + " ? 1 : " + divisor);
      value.code = writer_.Declare(value.machine, dividend + (is_quotient ? " / " : " % ") + safe);
    } else {
      // The lowest machine value by -1 traps on some processors, even where the row does not count.
      const std::string is_minus_one = writer_.DeclareFlag("(" + divisor + " == -1)");
      const std::string safe =
          writer_.Declare(value.machine, is_zero + " | " + is_minus_one + " ? 1 : " + divisor);
      // By 1 instead, the remainder is 0 too. The result must not be chosen instead of the
      // dividend: Intel's compiler 2026.22 ends the process over a choice between quotients and
      // others.
      const std::string negated = writer_.dialect_.Wrapping(value.machine, "0", "-", dividend);
      value.code =
          writer_.Declare(value.machine, is_quotient ? "(" + is_minus_one + " ? " + negated +
                                                           " : " + dividend + ") / " + safe
                                                     : dividend + " % " + safe);
    }
  }
  value.null = writer_.EitherNull(writer_.EitherNull(a.null, b.null), is_zero);
  return writer_.Bounded(value, ResultBounds(expression.GetType()));
}

}  // namespace margay::compile
