#include "compile/group_values.hpp"

#include <limits>

#include "compile/float_group_key.hpp"
#include "compile/refusal.hpp"

namespace margay::compile {

using plan::AggregateFunction;

namespace {

//! DuckDB divides averages in long double; kernels compute like one of 64 bits.
constexpr bool kLongDoubleHas64Bits = std::numeric_limits<long double>::digits == 64;

//! Most digits after the point of which averages are computed: a count times that power of ten fits
//! into 128 bits.
constexpr int kMostAverageDigits = 18;

Range Limited(const Range& range) {
  return range.exact ? range : Range::All();
}

}  // namespace

std::string GroupValues::Unsigned(Int128 value) {
  return "(ulong)" + parameters_.AddInteger(value, Machine::Int64);
}

std::string GroupValues::Digit(const GroupDigit& digit) {
  std::string code = index_[digit.word];
  if (digit.stride != 1)
    code += " / " + Unsigned(digit.stride);
  if (digit.Places() != layout_.index_places[digit.word] / digit.stride)
    code = "(" + code + ") % " + Unsigned(digit.Places());
  return writer_.Declare(Machine::Int64, "(long)(" + code + ")");
}

Value GroupValues::Placed(const GroupKey& key, const std::vector<std::string>& digits) {
  static_assert(kDigitBits == 63, "the shifts below");
  Value value;
  value.range = value.domain = {key.low, key.high, true};
  std::string low = "(ulong)" + digits[0], high = "0";
  if (digits.size() > 1) {
    low = "((ulong)" + digits[0] + " | (ulong)" + digits[1] + " << 63)";
    high = "(ulong)" + digits[1] + " >> 1";
  }
  if (digits.size() > 2)
    high += " | (ulong)" + digits[2] + " << 62";
  if (key.step != 1)
    low += " * " + Unsigned(key.step);
  if (MachineFor(value.range) == Machine::Wide) {
    value.machine = Machine::Wide;
    value.code =
        writer_.Declare(value.machine, "wide_add(wide_make(" + low + ", (long)(" + high + ")), " +
                                           parameters_.AddInteger(key.low, Machine::Wide) + ")");
  } else {
    value.machine = Machine::Int64;
    value.code = writer_.Declare(value.machine, "(long)(" + low + " + " + Unsigned(key.low) + ")");
  }
  return value;
}

Value GroupValues::Key(const GroupKey& key) {
  std::vector<std::string> digits;
  for (const GroupDigit& digit : key.digits)
    digits.push_back(Digit(digit));
  std::string null;
  if (key.HasNull()) {
    const auto place_of_null = static_cast<Int128>(key.digits.back().values);
    null = writer_.Declare(
        Machine::Int32,
        "(" + digits.back() + " == " + parameters_.AddInteger(place_of_null, Machine::Int64) + ")");
  }
  Value value = key.integers.empty() ? Placed(key, digits) : Listed(key, digits[0]);
  value.null = null;
  return key.type.IsFloat() ? FloatGroupKey::WriteValue(key.type, key.step, value, writer_) : value;
}

Value GroupValues::Listed(const GroupKey& key, const std::string& place) {
  Value value;
  std::vector<int64_t> words;
  value.range = Range::Of(key.integers[0]);
  for (Int128 integer : key.integers) {
    words.push_back(static_cast<int64_t>(integer));
    words.push_back(static_cast<int64_t>(integer >> 64));
    value.range = value.range.Union(Range::Of(integer));
  }
  words.resize(words.size() + 2);  // of NULL
  const std::string offset = parameters_.AddLookup(words.data(), words.size() * sizeof(int64_t));
  const std::string entry = "((__global const long*)(lookups + " + offset + "))[2 * " + place;
  value.machine = Machine::Wide;
  value.code =
      writer_.Declare(value.machine, "wide_make((ulong)" + entry + "], " + entry + " + 1])");
  value.domain = value.range;
  return value;
}

Value GroupValues::Sum(const Accumulator& accumulator) {
  Value value;
  if (accumulator.fold == Fold::SumFloat) {
    value.machine = Machine::Float64;
    value.code = writer_.Declare(value.machine, "as_double(" + Word(accumulator.word) + ")");
    return value;
  }
  const Range& argument = layout_.argument_ranges[accumulator.argument];
  const Range rows{0, static_cast<Int128>(layout_.most_rows), true};
  value.range = value.domain = Limited(argument.Union(argument * rows));
  if (accumulator.fold == Fold::Sum64) {
    value.machine = Machine::Int64;
    value.code = writer_.Declare(value.machine, Word(accumulator.word));
  } else {
    value.machine = Machine::Wide;
    value.code = writer_.Declare(value.machine, "wide_make((ulong)" + Word(accumulator.word) +
                                                    ", " + Word(accumulator.word + 1) + ")");
  }
  return value;
}

Value GroupValues::Average(const Accumulator& accumulator, const std::string& count,
                           const plan::Aggregate& aggregate) {
  const Value sum = Sum(accumulator);
  Value value;
  value.machine = Machine::Float64;
  const plan::Type& argument = aggregate.argument->GetType();
  if (accumulator.fold == Fold::SumFloat) {
    value.code = writer_.Declare(value.machine, sum.code + " / (double)(ulong)" + count);
    return value;
  }
  const int digits = argument.kind == plan::TypeKind::Decimal ? argument.scale : 0;
  if (argument.PhysicalBytes() <= 2) {
    const std::string scale =
        parameters_.AddReal(static_cast<double>(PowerOfTen(digits)), Machine::Float64);
    value.code = writer_.Declare(value.machine, "(double)" + writer_.Convert(sum, Machine::Int64) +
                                                    " / ((double)" + count + " * " + scale + ")");
    return value;
  }
  if (!kLongDoubleHas64Bits || digits > kMostAverageDigits)
    throw Unsupported("the average of " + argument.ToString() + " in many groups");
  const std::string scale =
      parameters_.AddInteger(static_cast<Int128>(PowerOfTen(digits)), Machine::Int64);
  value.code =
      writer_.Declare(value.machine, "wide_average(" + writer_.Convert(sum, Machine::Wide) +
                                         ", wide_multiply_long(" + count + ", " + scale + "))");
  return value;
}

Value GroupValues::Extreme(const Accumulator& accumulator, const plan::Aggregate& aggregate) {
  const plan::Type& argument = aggregate.argument->GetType();
  Value value;
  if (IsText(accumulator.fold)) {
    value.machine = Machine::Int64;
    value.code = writer_.Declare(value.machine, Word(accumulator.word) + " - 1");
    return value;
  }
  if (accumulator.fold == Fold::MinWide || accumulator.fold == Fold::MaxWide) {
    value.machine = Machine::Wide;
    value.code = writer_.Declare(value.machine, "wide_make((ulong)" + Word(accumulator.word) +
                                                    ", " + Word(accumulator.word + 1) + ")");
  } else if (argument.IsFloat()) {
    value.machine = FloatMachine(argument);
    value.code = writer_.Declare(
        value.machine,
        "(" + std::string(MachineName(value.machine)) + ")" +
            (accumulator.fold == Fold::Min64 ? "double_from_ordered(" : "double_from_ordered_up(") +
            Word(accumulator.word) + ", &fault)");
    return value;
  } else {
    value.machine = Machine::Int64;
    value.code = writer_.Declare(value.machine, Word(accumulator.word));
  }
  value.range = value.domain = layout_.argument_ranges[accumulator.argument];
  return value;
}

Value GroupValues::Aggregate(size_t number, const plan::Aggregate& aggregate) {
  const AggregateLayout::Source& source = layout_.sources[number];
  const Accumulator& value_of = layout_.accumulators[source.value];
  const std::string count =
      writer_.Declare(Machine::Int64, Word(layout_.accumulators[source.count].word));
  Value value;
  switch (aggregate.function) {
    case AggregateFunction::CountStar:
    case AggregateFunction::Count:
      value.machine = Machine::Int64;
      value.code = count;
      value.range = value.domain = {0, static_cast<Int128>(layout_.most_rows), true};
      return value;
    case AggregateFunction::Sum:
      value = Sum(value_of);
      break;
    case AggregateFunction::Average:
      value = Average(value_of, count, aggregate);
      break;
    case AggregateFunction::Min:
    case AggregateFunction::Max:
      value = Extreme(value_of, aggregate);
      break;
  }
  // Without keys there is a group even if it has no rows.
  if (source.count != 0 || layout_.keys.empty())
    value.null = writer_.Declare(Machine::Int32, "(" + count + " == 0)");
  return value;
}

}  // namespace margay::compile
