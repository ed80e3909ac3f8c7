#include "optimize/value/in_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "optimize/unsupported.hpp"
#include "optimize/value/text_builder.hpp"

namespace margay::optimize {

using plan::Operation;
using plan::TypeKind;

namespace {

//! Constants up to here are compared one by one, also in vectors.
constexpr size_t kFewConstants = 16;

//! Values that are no constants; more would make kernels that take seconds to compile.
constexpr size_t kMostComparisons = 64;

//! A bitmap of this size stays in a second-level cache.
constexpr Int128 kLargestBitmapBits = Int128{1} << 20;

//! As double_to_ordered in numeric.cl.
int64_t ToOrdered(double value) {
  const int64_t bits = std::isnan(value) ? 0x7ff8000000000000 : std::bit_cast<int64_t>(value);
  return bits ^ ((bits >> 63) & 0x7fffffffffffffff);
}

}  // namespace

Value InBuilder::Build(const plan::Expression& expression) {
  const plan::ExpressionPointer& operand = expression.Operands()[0];
  std::vector<plan::ExpressionPointer> constants, others;
  for (size_t i = 1; i < expression.Operands().size(); i++) {
    const plan::ExpressionPointer& item = expression.Operands()[i];
    (item->GetOperation() == Operation::Constant ? constants : others).push_back(item);
  }
  if (constants.size() <= kFewConstants) {
    constants.insert(constants.end(), others.begin(), others.end());
    return BuildComparisons(operand, constants);
  }
  if (others.empty())
    return BuildConstants(operand, constants);
  constants.insert(constants.begin(), operand);
  const plan::ExpressionPointer in =
      plan::Expression::Make(Operation::In, TypeKind::Boolean, std::move(constants));
  others.insert(others.begin(), operand);
  return builder_.Build(plan::Expression::Make(
      Operation::Or, TypeKind::Boolean,
      {in, plan::Expression::Make(Operation::In, TypeKind::Boolean, std::move(others))}));
}

Value InBuilder::BuildComparisons(const plan::ExpressionPointer& operand,
                                  const std::vector<plan::ExpressionPointer>& others) {
  if (others.size() > kMostComparisons) {
    throw Unsupported("IN lists of more than " + std::to_string(kMostComparisons) + " expressions");
  }
  std::vector<plan::ExpressionPointer> comparisons;
  comparisons.reserve(others.size());
  for (const plan::ExpressionPointer& other : others) {
    comparisons.push_back(
        plan::Expression::Make(Operation::Equal, TypeKind::Boolean, {operand, other}));
  }
  if (comparisons.size() == 1)
    return builder_.Build(comparisons[0]);
  return builder_.Build(plan::Expression::Make(Operation::Or, TypeKind::Boolean, comparisons));
}

Value InBuilder::BuildConstants(const plan::ExpressionPointer& operand,
                                const std::vector<plan::ExpressionPointer>& constants) {
  if (operand->GetType().IsVarchar())
    return TextBuilder(builder_).BuildIn(operand, constants);
  const Value value = builder_.AsOrdered(builder_.Build(operand));
  const bool is_float = operand->GetType().IsFloat();
  bool has_null = false;
  std::vector<Int128> list;
  for (const plan::ExpressionPointer& item : constants) {
    const plan::Constant& constant = item->GetConstant();
    has_null = has_null || constant.is_null;
    if (constant.is_null)
      continue;
    const double real = constant.real == 0 ? 0.0 : constant.real;
    const Int128 integer = is_float ? ToOrdered(real) : constant.integer;
    if (value.domain.Contains(Range::Of(integer)))
      list.push_back(integer);
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());

  Value result;
  result.range = result.domain = {0, 1, true};
  const bool is_close =
      list.empty() || (Range::Of(list.back()) - Range::Of(list[0])).high < kLargestBitmapBits;
  result.node = is_close ? BuildBitmap(value, list) : BuildSearch(value, std::move(list));
  result.null = value.null;
  if (has_null)
    result.null = builder_.Either(value.null, graph_.Not(result.node));
  return result;
}

const Node* InBuilder::BuildBitmap(const Value& value, const std::vector<Int128>& list) {
  const Machine machine = value.GetMachine();
  const Int128 low = list.empty() ? value.domain.low : list[0];
  const Int128 bits = list.empty() ? 1 : list.back() - low + 1;
  std::vector<uint8_t> bitmap(static_cast<size_t>((bits + 7) / 8), 0);
  for (Int128 item : list) {
    const auto bit = static_cast<size_t>(item - low);
    bitmap[bit / 8] = static_cast<uint8_t>(bitmap[bit / 8] | 1u << bit % 8);
  }
  const size_t table = builder_.GetParameters().AddTable(std::move(bitmap));
  const Node* base = builder_.Integer(low, machine);
  if (machine == Machine::Wide) {
    const Node* above = graph_.Call(machine, "wide_subtract", {value.node, base});
    const Node* is_near = graph_.Call(Machine::Int32, "wide_is_below",
                                      {above, builder_.Integer(bits, Machine::Int64)});
    const Node* place = graph_.Select(is_near, graph_.Convert(above, Machine::Int64),
                                      graph_.Literal(0, Machine::Int64));
    return graph_.Bit(table, place, is_near);
  }
  const Node* is_near = graph_.InRange(value.node, base, builder_.Integer(bits, machine));
  const Node* place =
      graph_.Select(is_near, graph_.Wrapping("-", value.node, base), graph_.Literal(0, machine));
  return graph_.Bit(table, place, is_near);
}

const Node* InBuilder::BuildSearch(const Value& value, std::vector<Int128> list) {
  graph_.Require("search.cl");
  const Machine machine = value.GetMachine();
  const Node* count = builder_.Integer(static_cast<Int128>(list.size()), Machine::Int32);
  Parameters& parameters = builder_.GetParameters();
  const Node* table = nullptr;
  switch (machine) {
    case Machine::Int32:
      table =
          graph_.Table(parameters.AddTable(std::vector<int32_t>(list.begin(), list.end())), "int");
      break;
    case Machine::Int64:
      table =
          graph_.Table(parameters.AddTable(std::vector<int64_t>(list.begin(), list.end())), "long");
      break;
    default:
      table = graph_.Table(parameters.AddTable(std::move(list)), "ulong");
  }
  return graph_.Call(Machine::Int32, std::string(MachineName(machine)) + "_list_holds",
                     {table, count, value.node});
}

}  // namespace margay::optimize
