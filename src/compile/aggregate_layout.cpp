#include "compile/aggregate_layout.hpp"

#include <algorithm>
#include <map>

#include "compile/date_writer.hpp"
#include "compile/refusal.hpp"

namespace margay::compile {

using plan::AggregateFunction;

namespace {

//! Sum64 needs at least this many rows between flushes to be worth it; larger values take Sum128.
constexpr uint64_t kFewestRowsPerTable = uint64_t{1} << 22;

//! What all values of an expression are multiples of.
Int128 StepOf(const plan::Expression& expression) {
  if (expression.GetType().kind != plan::TypeKind::Timestamp)
    return 1;
  switch (expression.GetOperation()) {
    case plan::Operation::Cast:
    case plan::Operation::TryCast:
      return expression.Operand(0).GetType().kind == plan::TypeKind::Date ? kMicrosecondsPerDay : 1;
    case plan::Operation::DateTrunc:
      return DateWriter::StepOf(expression.Part());
    default:
      return 1;
  }
}

GroupKey KeyOf(const plan::ExpressionPointer& expression, ExpressionWriter& writer,
               const KernelContext& context) {
  GroupKey key;
  key.type = expression->GetType();
  if (key.type.IsFloat())
    throw Unsupported("grouping by " + key.type.ToString());
  Value value;
  if (expression->GetOperation() == plan::Operation::Dictionary) {
    DerivedColumn derived = DictionaryWriter(writer).WriteIdentifier(*expression);
    key.texts = std::move(derived.texts);
    key.integers = std::move(derived.integers);
    value = derived.identifier;
  } else {
    value = writer.Write(expression);
    if (key.type.IsVarchar()) {
      key.texts = context.columns[expression->ColumnIndex()].image->GetDictionary();
    }
  }
  key.low = value.domain.low;
  key.has_null = value.CanBeNull();
  key.step = StepOf(*expression);
  const Range size = value.domain - Range::Of(value.domain.low);
  if (!size.exact || size.high / key.step >= static_cast<Int128>(kLargestDirectIndex)) {
    throw Unsupported("GROUP BY over more than " + std::to_string(kLargestDirectIndex) +
                      " possible values: " + expression->ToString());
  }
  key.values = static_cast<uint64_t>(size.high / key.step) + 1;
  return key;
}

//! Builds the list of accumulators without repetitions.
class AccumulatorList {
 public:
  explicit AccumulatorList(AggregateLayout& layout) : layout_(layout) {
    Add({Fold::Count, 0, 0, false, false});
  }

  size_t Add(Accumulator accumulator) {
    const auto key =
        std::make_tuple(accumulator.fold, accumulator.has_argument, accumulator.argument);
    if (auto found = numbers_.find(key); found != numbers_.end())
      return found->second;
    accumulator.word = layout_.words;
    layout_.words += accumulator.Words();
    layout_.accumulators.push_back(accumulator);
    return numbers_[key] = layout_.accumulators.size() - 1;
  }

 private:
  AggregateLayout& layout_;
  std::map<std::tuple<Fold, bool, size_t>, size_t> numbers_;
};

Accumulator SumOf(size_t argument, const Value& value, uint64_t rows, bool multiplies_rows,
                  AggregateLayout& layout) {
  Accumulator sum{Fold::SumFloat, 0, argument, true, false};
  if (value.machine == Machine::Float32 || value.machine == Machine::Float64)
    return sum;
  const Int128 magnitude = std::max<Int128>(value.range.Magnitude(), 1);
  const Int128 safe_rows = std::numeric_limits<int64_t>::max() / magnitude;
  if (!multiplies_rows && safe_rows >= static_cast<Int128>(kFewestRowsPerTable)) {
    sum.fold = Fold::Sum64;
    layout.rows_per_table = std::min(layout.rows_per_table,
                                     static_cast<uint64_t>(std::min<Int128>(safe_rows, INT64_MAX)));
    return sum;
  }
  sum.fold = Fold::Sum128;
  // No run makes 2^63 rows.
  const Int128 most_rows =
      multiplies_rows ? INT64_MAX : std::max<Int128>(static_cast<Int128>(rows), 1);
  sum.is_checked = magnitude > kInt128Max / most_rows;
  return sum;
}

}  // namespace

AggregateLayout AggregateLayout::Of(const Pipeline& pipeline, KernelContext scratch, uint64_t rows,
                                    bool multiplies_rows) {
  AggregateLayout layout;
  CodeBlock block;
  const DirectReader reader;  // of code that is thrown away
  ExpressionWriter writer(scratch, reader, block);
  for (const plan::ExpressionPointer& expression : pipeline.outputs) {
    layout.keys.push_back(KeyOf(expression, writer, scratch));
    GroupKey& key = layout.keys.back();
    key.stride = layout.groups;
    layout.groups *= key.Places();
    if (layout.groups > kLargestDirectIndex) {
      throw Unsupported("GROUP BY over more than " + std::to_string(kLargestDirectIndex) +
                        " possible groups");
    }
  }

  AccumulatorList list(layout);
  std::map<std::string, size_t> argument_numbers;
  std::vector<Value> values;
  for (const plan::Aggregate& aggregate : pipeline.aggregates) {
    Source source;
    if (aggregate.function == AggregateFunction::CountStar) {
      layout.sources.push_back(source);
      continue;
    }
    const std::string text =
        aggregate.argument->GetType().ToString() + aggregate.argument->ToString();
    auto [entry, is_new] = argument_numbers.try_emplace(text, values.size());
    if (is_new) {
      const bool is_text_function = aggregate.argument->GetType().IsVarchar() &&
                                    aggregate.argument->GetOperation() != plan::Operation::Column;
      if (is_text_function)
        throw Unsupported("aggregates of the string " + aggregate.argument->ToString());
      values.push_back(writer.Write(aggregate.argument));
      layout.arguments.push_back(aggregate.argument);
      layout.argument_machines.push_back(values.back().machine);
      layout.argument_ranges.push_back(values.back().range);
    }
    const size_t argument = entry->second;
    const Value& value = values[argument];
    if (value.CanBeNull())
      source.count = list.Add({Fold::Count, 0, argument, true, false});
    const bool is_wide = value.machine == Machine::Wide;
    switch (aggregate.function) {
      case AggregateFunction::Sum:
      case AggregateFunction::Average:
        source.value = list.Add(SumOf(argument, value, rows, multiplies_rows, layout));
        break;
      case AggregateFunction::Min:
        source.value = list.Add({is_wide ? Fold::MinWide : Fold::Min64, 0, argument, true, false});
        break;
      case AggregateFunction::Max:
        source.value = list.Add({is_wide ? Fold::MaxWide : Fold::Max64, 0, argument, true, false});
        break;
      default:
        break;
    }
    layout.sources.push_back(source);
  }
  return layout;
}

}  // namespace margay::compile
