#include "optimize/value/arithmetic_builder.hpp"

#include <algorithm>

#include "optimize/unsupported.hpp"

namespace margay::optimize {

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

const char* SymbolOf(Operation operation) {
  switch (operation) {
    case Operation::Add:
      return "+";
    case Operation::Multiply:
      return "*";
    case Operation::Divide:
      return "/";
    default:
      return "-";
  }
}

const char* WideFunctionOf(Operation operation) {
  switch (operation) {
    case Operation::Add:
      return "wide_add";
    case Operation::Multiply:
      return "wide_multiply";
    default:
      return "wide_subtract";
  }
}

}  // namespace

Value ArithmeticBuilder::Build(const plan::Expression& expression) {
  Value a = builder_.Build(expression.Operands()[0]);
  if (expression.GetOperation() == Operation::Negate) {
    if (expression.GetType().IsFloat()) {
      a.node = graph_.Call(a.GetMachine(), "-", {a.node});
      return a;
    }
    Value zero;
    zero.node = graph_.Literal(0, Machine::Int32);
    return BuildInteger(expression, zero, a);
  }
  const Value b = builder_.Build(expression.Operands()[1]);
  // An infinite timestamp stays what it is; left to DuckDB.
  if (expression.GetType().kind == TypeKind::Timestamp)
    a = builder_.Bounded(a, kFiniteTimestamps);
  return expression.GetType().IsFloat() ? BuildFloat(expression, a, b)
                                        : BuildInteger(expression, a, b);
}

Value ArithmeticBuilder::BuildFloat(const plan::Expression& expression, const Value& a,
                                    const Value& b) {
  const Operation operation = expression.GetOperation();
  Value value;
  value.null = builder_.Either(a.null, b.null);
  // Infinite, NaN or NULL, as DuckDB's settings have it: left to DuckDB.
  if (operation == Operation::Divide) {
    builder_.RaiseFault(graph_.Infix(Machine::Int32, "==", b.node, graph_.Real(0, b.GetMachine())),
                        value.null);
  }
  value.node =
      graph_.Infix(FloatMachine(expression.GetType()), SymbolOf(operation), a.node, b.node);
  return value;
}

void ArithmeticBuilder::RefuseInfiniteDates(const Value& a, const Value& b, const Node* null) {
  // An infinite date stays what it is; that is rare enough to be left to DuckDB.
  for (const Value* operand : {&a, &b}) {
    if (operand->range.high < kInfiniteDate && operand->range.low > -kInfiniteDate)
      continue;
    const Node* days = builder_.Convert(*operand, Machine::Int64);
    builder_.RaiseFault(
        graph_.Or(graph_.Compare(">=", days, graph_.Literal(kInfiniteDate, Machine::Int64)),
                  graph_.Compare("<=", days, graph_.Literal(-kInfiniteDate, Machine::Int64))),
        null);
  }
}

Value ArithmeticBuilder::BuildInteger(const plan::Expression& expression, const Value& a,
                                      const Value& b) {
  const Operation operation = expression.GetOperation();
  const bool is_multiply = operation == Operation::Multiply;
  const auto apply = [&](const Range& x, const Range& y) {
    return is_multiply ? x * y : operation == Operation::Add ? x + y : x - y;
  };
  Value value;
  value.null = builder_.Either(a.null, b.null);
  value.range = apply(a.range, b.range);
  value.domain = apply(a.domain, b.domain);
  const Range bounds = ResultBounds(expression.GetType());
  if (expression.GetType().kind == TypeKind::Date)
    RefuseInfiniteDates(a, b, value.null);
  const std::string function = WideFunctionOf(operation);
  if (!value.range.exact) {
    // The result may leave even 128 bits: the helper says so.
    value.node =
        graph_.CallOutput(Machine::Wide, Machine::Int32, function + "_checked",
                          {builder_.Convert(a, Machine::Wide), builder_.Convert(b, Machine::Wide)});
    builder_.RaiseFault(graph_.Output(value.node), value.null);
    value.range = value.range.CutTo(Range::All());
    value.domain = value.domain.CutTo(Range::All());
    return builder_.Bounded(value, bounds);
  }
  const Machine machine = MachineFor(value.range);
  if (machine != Machine::Wide) {
    // Operands may be wider than the result; both are then cut to the result's width, in which the
    // exact result fits.
    value.node = graph_.Wrapping(SymbolOf(operation), builder_.Convert(a, machine),
                                 builder_.Convert(b, machine));
  } else if (is_multiply && a.GetMachine() != Machine::Wide && b.GetMachine() != Machine::Wide) {
    value.node = graph_.Call(Machine::Wide, "wide_multiply_long", {a.node, b.node});
  } else {
    value.node =
        graph_.Call(Machine::Wide, function,
                    {builder_.Convert(a, Machine::Wide), builder_.Convert(b, Machine::Wide)});
  }
  return builder_.Bounded(value, bounds);
}

void ArithmeticBuilder::RefuseLowestByMinusOne(const Node* dividend, const Node* divisor,
                                               Int128 lowest, const Node* null) {
  const auto equals = [&](const Node* node, Int128 integer) {
    Value value, literal;
    value.node = node;
    literal.node = graph_.Literal(integer, node->machine);
    return builder_.Compare(Operation::Equal, value, literal);
  };
  builder_.RaiseFault(graph_.And(equals(dividend, lowest), equals(divisor, -1)), null);
}

Value ArithmeticBuilder::BuildDivision(const plan::Expression& expression) {
  const bool is_quotient = expression.GetOperation() == Operation::IntegerDivide;
  const Value a = builder_.Build(expression.Operands()[0]);
  const Value b = builder_.Build(expression.Operands()[1]);
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
  const Machine machine = MachineFor(operands.exact ? operands : Range::All());
  const Node* dividend = builder_.Convert(a, machine);
  const Node* divisor = builder_.Convert(b, machine);
  const Node* null = builder_.Either(a.null, b.null);
  const Int128 lowest = expression.GetType().LowestValue();
  if (lowest < 0 && a.range.low <= lowest && b.range.low < 0) {
    RefuseLowestByMinusOne(dividend, divisor, lowest, null);
    value.range = value.range.CutTo(RangeOf(expression.GetType()));
    value.domain = value.domain.CutTo(RangeOf(expression.GetType()));
  }
  const Node* one = graph_.Literal(1, machine);
  const Node* is_zero = nullptr;
  if (machine == Machine::Wide) {
    is_zero =
        graph_.Call(Machine::Int32, "wide_equal", {divisor, graph_.Literal(0, Machine::Wide)});
    const Node* quotient = graph_.CallOutput(Machine::Wide, Machine::Wide, "wide_divide",
                                             {dividend, graph_.Select(is_zero, one, divisor)});
    value.node = is_quotient ? quotient : graph_.Output(quotient);
  } else {
    is_zero = graph_.Compare("==", divisor, graph_.Literal(0, machine));
    const Node* is_unsafe = is_zero;
    if (b.range.low < 0) {
      // The lowest machine value by -1 traps on some processors, even where the row does not count.
      // By 1 instead, the remainder is 0 too. The result must not be chosen instead of the
      // dividend: Intel's compiler 2026.22 ends the process over a choice between quotients and
      // others.
      const Node* is_minus_one = graph_.Compare("==", divisor, graph_.Literal(-1, machine));
      is_unsafe = graph_.Or(is_zero, is_minus_one);
      if (is_quotient) {
        dividend = graph_.Select(
            is_minus_one, graph_.Wrapping("-", graph_.Literal(0, machine), dividend), dividend);
      }
    }
    value.node = graph_.Infix(machine, is_quotient ? "/" : "%", dividend,
                              graph_.Select(is_unsafe, one, divisor));
  }
  value.null = builder_.Either(null, is_zero);
  return builder_.Bounded(value, ResultBounds(expression.GetType()));
}

}  // namespace margay::optimize
