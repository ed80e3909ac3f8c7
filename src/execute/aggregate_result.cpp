#include "execute/aggregate_result.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "execute/part.hpp"
#include "optimize/physical/float_group_key.hpp"

namespace margay::execute {

using optimize::Accumulator;
using optimize::AggregateLayout;
using optimize::Fold;
using optimize::GroupKey;
using plan::AggregateFunction;

namespace {

//! One result column while it grows.
struct GrowingColumn {
  plan::Type type;
  std::vector<std::byte> values;
  std::vector<uint8_t> validity;
  bool has_null = false;
  std::shared_ptr<const storage::Dictionary> dictionary;

  void Reserve(size_t rows) {
    values.reserve(rows * static_cast<size_t>(type.PhysicalBytes()));
    validity.reserve(rows);
  }
  void Append(const void* value) {
    const auto* bytes = static_cast<const std::byte*>(value);
    values.insert(values.end(), bytes, bytes + type.PhysicalBytes());
    validity.push_back(1);
  }
  //! Little-endian: the low bytes of an Int128 are the value in any narrower type.
  void AppendInteger(Int128 value) { Append(&value); }
  void AppendReal(double value) {
    const auto single = static_cast<float>(value);
    if (type.kind == plan::TypeKind::Float32) {
      Append(&single);
    } else {
      Append(&value);
    }
  }
  void AppendNull() {
    AppendInteger(0);
    validity.back() = 0;
    has_null = true;
  }
};

//! The columns of a finished result.
struct Finished {
  std::vector<GrowingColumn> columns;
};

//! The minimum or maximum that double_to_ordered or double_to_ordered_up of kernels/numeric.cl
//! stands for. Throws ArithmeticFault for -0.0, beside which there may be an equal 0.0.
double FromOrdered(Fold fold, int64_t ordered) {
  const int64_t negative_zero = fold == Fold::Min64 ? -1 : 0;
  if (ordered == negative_zero) {
    throw ArithmeticFault(
        "the minimum or maximum is a zero of either sign; DuckDB runs this part again");
  }
  if (fold == Fold::Max64 && ordered == -1)
    return 0.0;
  return std::bit_cast<double>(ordered ^ ((ordered >> 63) & std::numeric_limits<int64_t>::max()));
}

//! As DuckDB converts a HUGEINT, rounding included.
long double ToLongDouble(Int128 value) {
  const auto low = static_cast<uint64_t>(value);
  const auto high = static_cast<int64_t>(value >> 64);
  if (high == -1) {
    return -static_cast<long double>(std::numeric_limits<uint64_t>::max() - low) - 1;
  }
  return static_cast<long double>(low) +
         static_cast<long double>(high) *
             (static_cast<long double>(std::numeric_limits<uint64_t>::max()) + 1);
}

//! avg of integers and decimals, as DuckDB divides: in double where its sum is 64 bits (arguments
//! of 16 bits), else in long double.
double Average(Int128 sum, int64_t count, const plan::Type& argument) {
  const double scale = argument.kind == plan::TypeKind::Decimal
                           ? static_cast<double>(PowerOfTen(argument.scale))
                           : 1;
  if (argument.PhysicalBytes() <= 2) {
    return static_cast<double>(static_cast<int64_t>(sum)) / (static_cast<double>(count) * scale);
  }
  return static_cast<double>(ToLongDouble(sum) / (static_cast<long double>(count) * scale));
}

void AppendKey(const GroupKey& key, uint64_t group, GrowingColumn& column) {
  const optimize::GroupDigit& digit = key.digits[0];
  const uint64_t place = group / digit.stride % digit.Places();
  if (place == digit.values) {
    column.AppendNull();
  } else if (!key.integers.empty()) {
    column.AppendInteger(key.integers[place]);
  } else if (key.type.IsFloat()) {
    column.AppendReal(optimize::FloatGroupKey::ValueOf(
        static_cast<int64_t>(key.low + key.step * static_cast<Int128>(place)), key.step));
  } else {
    column.AppendInteger(key.low + key.step * static_cast<Int128>(place));
  }
}

void AppendAggregate(const plan::Aggregate& aggregate, const AggregateLayout& layout,
                     const AggregateLayout::Source& source, const int64_t* words,
                     const Int128* sums, GrowingColumn& column) {
  const int64_t count = words[layout.accumulators[source.count].word];
  if (aggregate.function == AggregateFunction::CountStar ||
      aggregate.function == AggregateFunction::Count) {
    column.AppendInteger(count);
    return;
  }
  if (count == 0) {
    column.AppendNull();
    return;
  }
  const Accumulator& accumulator = layout.accumulators[source.value];
  const int64_t* value = words + accumulator.word;
  const plan::Type& argument = aggregate.argument->GetType();
  switch (accumulator.fold) {
    case Fold::Count:
      return;  // handled above
    case Fold::Sum64:
    case Fold::Sum128:
      if (aggregate.function == AggregateFunction::Average) {
        column.AppendReal(Average(sums[source.value], count, argument));
      } else {
        column.AppendInteger(sums[source.value]);
      }
      return;
    case Fold::SumFloat: {
      const auto sum = std::bit_cast<double>(value[0]);
      column.AppendReal(aggregate.function == AggregateFunction::Average
                            ? sum / static_cast<double>(static_cast<uint64_t>(count))
                            : sum);
      return;
    }
    case Fold::Min64:
    case Fold::Max64:
      if (argument.IsFloat()) {
        column.AppendReal(FromOrdered(accumulator.fold, value[0]));
      } else {
        column.AppendInteger(value[0]);
      }
      return;
    case Fold::MinWide:
    case Fold::MaxWide:
      column.AppendInteger(JoinWords(value[0], value[1]));
      return;
    case Fold::MinText:
    case Fold::MaxText:
      throw std::logic_error("FinishAggregates: strings are in shared tables alone");
  }
}

}  // namespace

ResultBatch FinishAggregates(const optimize::GroupSink& groups, const int64_t* words,
                             const Int128* sums) {
  const AggregateLayout& layout = groups.layout;
  auto finished = std::make_shared<Finished>();
  for (const GroupKey& key : layout.keys)
    finished->columns.push_back({key.type, {}, {}, false, key.texts});
  for (size_t i = 0; i < groups.aggregates.size(); i++)
    finished->columns.push_back(
        {groups.aggregates[i].type, {}, {}, false, layout.sources[i].texts});
  for (GrowingColumn& column : finished->columns)
    column.Reserve(layout.groups);

  ResultBatch batch;
  for (uint64_t group = 0; group < layout.groups; group++) {
    const int64_t* row = words + group * layout.words;
    if (!layout.keys.empty() && row[0] == 0)
      continue;
    size_t column = 0;
    for (const GroupKey& key : layout.keys)
      AppendKey(key, group, finished->columns[column++]);
    for (size_t i = 0; i < groups.aggregates.size(); i++) {
      AppendAggregate(groups.aggregates[i], layout, layout.sources[i], row,
                      sums + group * layout.accumulators.size(), finished->columns[column++]);
    }
    batch.rows++;
  }
  for (const GrowingColumn& column : finished->columns) {
    batch.columns.push_back({column.type, column.values.data(),
                             column.has_null ? column.validity.data() : nullptr,
                             column.dictionary});
  }
  batch.owner = finished;
  return batch;
}

}  // namespace margay::execute
