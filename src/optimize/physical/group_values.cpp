#include "optimize/physical/group_values.hpp"

#include <limits>

#include "optimize/physical/float_group_key.hpp"
#include "optimize/unsupported.hpp"

namespace margay::optimize {

using plan::AggregateFunction;

namespace {

//! DuckDB divides averages in long double; kernels compute like one of 64 bits.
constexpr bool kLongDoubleHas64Bits = std::numeric_limits<long double>::digits == 64;

//! Most digits after the point of which averages are computed: a count times that power of ten fits
//! into 128 bits.
constexpr int kMostAverageDigits = 18;

Range SumRange(const AggregateLayout& layout, const Accumulator& accumulator) {
  const Range& argument = layout.arguments[accumulator.argument].value.range;
  const Range rows{0, static_cast<Int128>(layout.most_rows), true};
  const Range sum = argument.Union(argument * rows);
  return sum.exact ? sum : Range::All();
}

bool IsCount(AggregateFunction function) {
  return function == AggregateFunction::CountStar || function == AggregateFunction::Count;
}

}  // namespace

Range RangeOfKey(const GroupKey& key) {
  if (key.type.IsFloat())
    return {};
  if (key.integers.empty())
    return {key.low, key.high, true};
  Range range = Range::Of(key.integers[0]);
  for (Int128 integer : key.integers)
    range = range.Union(Range::Of(integer));
  return range;
}

Range RangeOfAggregate(const AggregateLayout& layout, size_t number,
                       const plan::Aggregate& aggregate) {
  if (IsCount(aggregate.function))
    return {0, static_cast<Int128>(layout.most_rows), true};
  const Accumulator& accumulator = layout.accumulators[layout.sources[number].value];
  if (aggregate.function == AggregateFunction::Sum && accumulator.fold != Fold::SumFloat)
    return SumRange(layout, accumulator);
  const bool is_extreme =
      aggregate.function == AggregateFunction::Min || aggregate.function == AggregateFunction::Max;
  if (!is_extreme || IsText(accumulator.fold) || aggregate.argument->GetType().IsFloat())
    return {};
  return layout.arguments[accumulator.argument].value.range;
}

bool CanBeNull(const AggregateLayout& layout, size_t number, const plan::Aggregate& aggregate) {
  // Without keys there is a group even if it has no rows.
  return !IsCount(aggregate.function) && (layout.sources[number].count != 0 || layout.keys.empty());
}

const Node* GroupValues::Digit(const GroupDigit& digit) {
  const auto parameter = [&](uint64_t number) {
    return builder_.Integer(static_cast<Int128>(number), Machine::Int64);
  };
  const Node* word = graph_.GroupIndex(digit.word);
  if (digit.stride != 1)
    word = graph_.Call(Machine::Int64, "unsigned_divide", {word, parameter(digit.stride)});
  if (digit.Places() != layout_.index_places[digit.word] / digit.stride)
    word = graph_.Call(Machine::Int64, "unsigned_modulo", {word, parameter(digit.Places())});
  return word;
}

Value GroupValues::Placed(const GroupKey& key, const std::vector<const Node*>& digits) {
  static_assert(kDigitBits == 63, "the shifts below");
  const auto bits = [&](const char* symbol, const Node* a, const Node* b) {
    return graph_.Infix(Machine::Int64, symbol, a, b);
  };
  const auto literal = [&](int number) { return graph_.Literal(number, Machine::Int64); };
  Value value;
  value.range = value.domain = {key.low, key.high, true};
  const Node *low = digits[0], *high = literal(0);
  if (digits.size() > 1) {
    low = bits("|", low, bits("<<", digits[1], literal(63)));
    high = bits(">>", digits[1], literal(1));
  }
  if (digits.size() > 2)
    high = bits("|", high, bits("<<", digits[2], literal(62)));
  if (key.step != 1)
    low = graph_.Wrapping("*", low, builder_.Integer(key.step, Machine::Int64));
  if (MachineFor(value.range) == Machine::Wide) {
    value.node = graph_.Call(Machine::Wide, "wide_add",
                             {graph_.Call(Machine::Wide, "wide_make", {low, high}),
                              builder_.Integer(key.low, Machine::Wide)});
  } else {
    value.node = graph_.Wrapping("+", low, builder_.Integer(key.low, Machine::Int64));
  }
  return value;
}

Value GroupValues::Key(const GroupKey& key) {
  std::vector<const Node*> digits;
  for (const GroupDigit& digit : key.digits)
    digits.push_back(Digit(digit));
  const Node* null = nullptr;
  if (key.HasNull()) {
    const auto place_of_null = static_cast<Int128>(key.digits.back().values);
    null = graph_.Compare("==", digits.back(), builder_.Integer(place_of_null, Machine::Int64));
  }
  Value value = key.integers.empty() ? Placed(key, digits) : Listed(key, digits[0]);
  value.null = null;
  return key.type.IsFloat() ? FloatGroupKey::BuildValue(key.type, key.step, value, builder_)
                            : value;
}

Value GroupValues::Listed(const GroupKey& key, const Node* place) {
  Value value;
  value.range = value.domain = RangeOfKey(key);
  std::vector<Int128> integers = key.integers;
  integers.push_back(0);  // of NULL
  value.node = graph_.Element(Machine::Wide, builder_.GetParameters().AddTable(std::move(integers)),
                              "ulong", place);
  return value;
}

const Node* GroupValues::Wide(const Accumulator& accumulator) {
  return graph_.Call(Machine::Wide, "wide_make",
                     {graph_.GroupWord(accumulator.word), graph_.GroupWord(accumulator.word + 1)});
}

Value GroupValues::Sum(const Accumulator& accumulator) {
  Value value;
  if (accumulator.fold == Fold::SumFloat) {
    value.node = graph_.Call(Machine::Float64, "as_double", {graph_.GroupWord(accumulator.word)});
    return value;
  }
  value.range = value.domain = SumRange(layout_, accumulator);
  value.node =
      accumulator.fold == Fold::Sum64 ? graph_.GroupWord(accumulator.word) : Wide(accumulator);
  return value;
}

Value GroupValues::Average(const Accumulator& accumulator, const Node* count,
                           const plan::Aggregate& aggregate) {
  const Value sum = Sum(accumulator);
  const auto to_double = [&](const Node* integer) {
    return graph_.Call(Machine::Float64, "(double)", {integer});
  };
  Value value;
  const plan::Type& argument = aggregate.argument->GetType();
  if (accumulator.fold == Fold::SumFloat) {
    value.node = graph_.Infix(Machine::Float64, "/", sum.node, to_double(count));
    return value;
  }
  const int digits = argument.kind == plan::TypeKind::Decimal ? argument.scale : 0;
  if (argument.PhysicalBytes() <= 2) {
    const Node* scale = builder_.Real(static_cast<double>(PowerOfTen(digits)), Machine::Float64);
    value.node =
        graph_.Infix(Machine::Float64, "/", to_double(builder_.Convert(sum, Machine::Int64)),
                     graph_.Infix(Machine::Float64, "*", to_double(count), scale));
    return value;
  }
  if (!kLongDoubleHas64Bits || digits > kMostAverageDigits)
    throw Unsupported("the average of " + argument.ToString() + " in many groups");
  const Node* scale = builder_.Integer(PowerOfTen(digits), Machine::Int64);
  value.node = graph_.Call(Machine::Float64, "wide_average",
                           {builder_.Convert(sum, Machine::Wide),
                            graph_.Call(Machine::Wide, "wide_multiply_long", {count, scale})});
  return value;
}

Value GroupValues::Extreme(const Accumulator& accumulator, const plan::Aggregate& aggregate) {
  const plan::Type& argument = aggregate.argument->GetType();
  const Node* word = graph_.GroupWord(accumulator.word);
  Value value;
  if (IsText(accumulator.fold)) {
    value.node = graph_.Wrapping("-", word, graph_.Literal(1, Machine::Int64));
    return value;
  }
  if (argument.IsFloat()) {
    value.node = graph_.CallOutput(
        Machine::Float64, Machine::Int32,
        accumulator.fold == Fold::Min64 ? "double_from_ordered" : "double_from_ordered_up", {word});
    builder_.RaiseFault(graph_.Output(value.node), nullptr);
    if (argument.kind == plan::TypeKind::Float32)
      value.node = graph_.Call(Machine::Float32, "(float)", {value.node});
    return value;
  }
  value.range = value.domain = layout_.arguments[accumulator.argument].value.range;
  value.node = NeedsTwoPasses(accumulator.fold) ? Wide(accumulator) : word;
  return value;
}

Value GroupValues::Aggregate(size_t number, const plan::Aggregate& aggregate) {
  return builder_.Collect([&] {
    const AggregateLayout::Source& source = layout_.sources[number];
    const Accumulator& value_of = layout_.accumulators[source.value];
    const Node* count = graph_.GroupWord(layout_.accumulators[source.count].word);
    Value value;
    switch (aggregate.function) {
      case AggregateFunction::CountStar:
      case AggregateFunction::Count:
        value.node = count;
        value.range = value.domain = RangeOfAggregate(layout_, number, aggregate);
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
    if (CanBeNull(layout_, number, aggregate))
      value.null = graph_.Compare("==", count, graph_.Literal(0, Machine::Int64));
    return value;
  });
}

}  // namespace margay::optimize
