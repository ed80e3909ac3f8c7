#include "optimize/physical/float_group_key.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace margay::optimize {

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

Value FloatGroupKey::Build(ValueBuilder& builder) const {
  return builder.Collect([&] {
    NodeGraph& graph = builder.Graph();
    const Value value = builder.Build(expression_);
    const auto is = [&](const char* function) {
      return graph.Call(Machine::Int32, function, {value.node});
    };
    const Node* is_zero =
        graph.Infix(Machine::Int32, "==", value.node, graph.Real(0, value.GetMachine()));
    builder.RaiseFault(graph.And(is("signbit"), graph.Or(is_zero, is("isnan"))), value.null);
    Value key = builder.AsOrdered(value);
    key.domain = Domain(builder.Context().columns);
    return key;
  });
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

Value FloatGroupKey::BuildValue(const plan::Type& type, Int128 step, const Value& ordered,
                                ValueBuilder& builder) {
  NodeGraph& graph = builder.Graph();
  const Node* multiple = builder.Convert(ordered, Machine::Int64);
  const Node* zero = graph.Literal(0, Machine::Int64);
  const Node* integer = graph.Wrapping("+", multiple,
                                       graph.Select(graph.Compare("<", multiple, zero),
                                                    graph.Literal(step - 1, Machine::Int64), zero));
  const Node* real = graph.Call(Machine::Float64, "double_of_ordered", {integer});
  Value value;
  value.null = ordered.null;
  value.node =
      type.kind == plan::TypeKind::Float32 ? graph.Call(Machine::Float32, "(float)", {real}) : real;
  return value;
}

}  // namespace margay::optimize
