#include "compile/float_group_key.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace margay::compile {

namespace {

//! Bits of a DOUBLE's fraction that are 0 where it is a FLOAT.
constexpr int kBitsBelowFloat = 29;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

//! As double_to_ordered of kernels/numeric.cl, with one zero.
Int128 ToOrdered(double value) {
  const auto bits = std::bit_cast<int64_t>(value == 0 ? 0.0 : value);
  return bits ^ ((bits >> 63) & std::numeric_limits<int64_t>::max());
}

}  // namespace

Value FloatGroupKey::Write(ExpressionWriter& writer) const {
  writer.GetDialect().RequireRow();
  const Value value = writer.Write(expression_);
  const std::string is_negative = "signbit(" + value.code + ")";
  writer.RaiseFault(
      "(" + is_negative + " && (" + value.code + " == 0 || isnan(" + value.code + ")))",
      value.null);
  return writer.AsOrdered(value);
}

Range FloatGroupKey::Domain(const std::vector<InputColumn>& columns) const {
  double low = -kInfinity, high = kInfinity;
  bool has_nan = true;
  if (expression_->GetOperation() == plan::Operation::Column) {
    const auto& statistics = columns[expression_->ColumnIndex()].form->Statistics();
    low = statistics.real_min;
    high = statistics.real_max;
    has_nan = statistics.has_nan;
  }
  Range domain{ToOrdered(low), ToOrdered(high), true};
  if (low > high)
    domain = Range::Of(has_nan ? ToOrdered(kNaN) : 0);
  else if (has_nan)
    domain.high = ToOrdered(kNaN);
  domain.low = (domain.low >> (Step() == 1 ? 0 : kBitsBelowFloat)) * Step();
  return domain;
}

Int128 FloatGroupKey::Step() const {
  return expression_->GetType().kind == plan::TypeKind::Float32 ? Int128{1} << kBitsBelowFloat : 1;
}

double FloatGroupKey::ValueOf(int64_t ordered, Int128 step) {
  if (ordered < 0)
    ordered += static_cast<int64_t>(step) - 1;
  return std::bit_cast<double>(ordered ^ ((ordered >> 63) & std::numeric_limits<int64_t>::max()));
}

Value FloatGroupKey::WriteValue(const plan::Type& type, Int128 step, const Value& ordered,
                                ExpressionWriter& writer) {
  Value value;
  value.machine = FloatMachine(type);
  value.null = ordered.null;
  const std::string code = writer.Convert(ordered, Machine::Int64);
  const std::string place =
      writer.Declare(Machine::Int64, code + " + (" + code + " < 0 ? " +
                                         IntegerLiteral(step - 1, Machine::Int64) + " : 0L)");
  value.code = writer.Declare(value.machine, "(" + std::string(MachineName(value.machine)) +
                                                 ")as_double(" + place + " ^ ((" + place +
                                                 " >> 63) & 0x7fffffffffffffffL))");
  return value;
}

}  // namespace margay::compile
