#include "compile/in_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compile/refusal.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

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

Value InWriter::Write(const plan::Expression& expression) {
  const plan::ExpressionPointer& operand = expression.Operands()[0];
  std::vector<plan::ExpressionPointer> constants, others;
  for (size_t i = 1; i < expression.Operands().size(); i++) {
    const plan::ExpressionPointer& item = expression.Operands()[i];
    (item->GetOperation() == Operation::Constant ? constants : others).push_back(item);
  }
  if (constants.size() <= kFewConstants) {
    constants.insert(constants.end(), others.begin(), others.end());
    return WriteComparisons(operand, constants);
  }
  if (others.empty())
    return WriteConstants(operand, constants);
  constants.insert(constants.begin(), operand);
  const plan::ExpressionPointer in =
      plan::Expression::Make(Operation::In, TypeKind::Boolean, std::move(constants));
  others.insert(others.begin(), operand);
  return writer_.Write(plan::Expression::Make(
      Operation::Or, TypeKind::Boolean,
      {in, plan::Expression::Make(Operation::In, TypeKind::Boolean, std::move(others))}));
}

Value InWriter::WriteComparisons(const plan::ExpressionPointer& operand,
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
    return writer_.Write(comparisons[0]);
  return writer_.Write(plan::Expression::Make(Operation::Or, TypeKind::Boolean, comparisons));
}

Value InWriter::WriteConstants(const plan::ExpressionPointer& operand,
                               const std::vector<plan::ExpressionPointer>& constants) {
  writer_.dialect_.RequireRow();
  if (operand->GetType().IsVarchar())
    return TextWriter(writer_).WriteIn(*operand, constants);
  const Value value = writer_.AsOrdered(writer_.Write(operand));
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
  result.code = is_close ? WriteBitmap(value, list) : WriteSearch(value, std::move(list));
  result.null = value.null;
  if (has_null)
    result.null = writer_.EitherNull(value.null, writer_.DeclareFlag("!" + result.code));
  return result;
}

std::string InWriter::WriteBitmap(const Value& value, const std::vector<Int128>& list) {
  const Int128 low = list.empty() ? value.domain.low : list[0];
  const Int128 bits = list.empty() ? 1 : list.back() - low + 1;
  std::vector<uint8_t> bitmap(static_cast<size_t>((bits + 7) / 8), 0);
  for (Int128 item : list) {
    const auto bit = static_cast<size_t>(item - low);
    bitmap[bit / 8] = static_cast<uint8_t>(bitmap[bit / 8] | 1u << bit % 8);
  }
  auto& parameters = writer_.context_.parameters;
  const std::string table = parameters.AddLookup(bitmap.data(), bitmap.size());
  const std::string base = parameters.AddInteger(low, value.machine);
  const std::string count = parameters.AddInteger(bits, Machine::Int64);
  // Differences wrap around: what is below the lowest value becomes large.
  std::string is_near, place;
  if (value.machine == Machine::Wide) {
    const std::string above =
        writer_.Declare(Machine::Wide, "wide_subtract(" + value.code + ", " + base + ")");
    is_near = writer_.DeclareFlag("(" + above + ".high == 0) & (" + above + ".low < (ulong)" +
                                  count + ")");
    place = writer_.Declare(Machine::Int64, is_near + " ? (long)" + above + ".low : 0");
  } else {
    const std::string above = writer_.Declare(
        value.machine, writer_.dialect_.Wrapping(value.machine, value.code, "-", base));
    const std::string type = value.machine == Machine::Int32 ? "(uint)" : "(ulong)";
    is_near = writer_.DeclareFlag("(" + type + above + " < " + type + count + ")");
    place = writer_.Declare(value.machine, is_near + " ? " + above + " : 0");
  }
  return writer_.DeclareFlag("(lookups + " + table + ")[" + place + " >> 3] >> (" + place +
                             " & 7) & " + is_near);
}

std::string InWriter::WriteSearch(const Value& value, std::vector<Int128> list) {
  writer_.context_.sources.insert("search.cl");
  auto& parameters = writer_.context_.parameters;
  const std::string count = parameters.AddInteger(static_cast<Int128>(list.size()), Machine::Int32);
  const auto call = [&](const auto& table, const std::string& element) {
    const std::string offset =
        parameters.AddLookup(table.data(), table.size() * sizeof(*table.data()));
    return writer_.DeclareFlag(std::string(MachineName(value.machine)) +
                               "_list_holds((__global const " + element + "*)(lookups + " + offset +
                               "), (uint)" + count + ", " + value.code + ")");
  };
  switch (value.machine) {
    case Machine::Int32:
      return call(std::vector<int32_t>(list.begin(), list.end()), "int");
    case Machine::Int64:
      return call(std::vector<int64_t>(list.begin(), list.end()), "long");
    default:
      return call(list, "ulong");
  }
}

}  // namespace margay::compile
