#include "compile/aggregate_layout.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "compile/date_writer.hpp"
#include "compile/float_group_key.hpp"
#include "compile/group_dependence.hpp"
#include "compile/interned_text.hpp"
#include "compile/refusal.hpp"
#include "compile/string_argument.hpp"
#include "compile/text_extreme.hpp"
#include "compile/uniqueness.hpp"

namespace margay::compile {

using plan::AggregateFunction;

namespace {

//! Sum64 needs at least this many rows between flushes to be worth it; larger values take Sum128.
constexpr uint64_t kFewestRowsPerTable = uint64_t{1} << 22;

//! A shared table is indexed directly if it has at most this many slots per expected group, or
//! kAlwaysDirect in all: beyond, a hash table is smaller.
constexpr uint64_t kMostSlotsPerGroup = 4;

//! A hash table starts with at most this many slots, and grows: filters may leave few groups.
constexpr uint64_t kMostSlotsAtFirst = uint64_t{1} << 18;

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

//! The text column that `key` is, a slice of one, or what it is a function of; none if there is
//! none.
std::optional<InputColumn> TextOf(const plan::Expression& key, const KernelContext& context) {
  const bool is_function = key.GetOperation() == plan::Operation::Dictionary;
  return FindTextColumn(is_function ? key.Operand(0) : key, context.columns);
}

//! The key `expression` that is `text`, or a function of it.
GroupKey TextKeyOf(const plan::Expression& expression, const InputColumn& text,
                   ExpressionWriter& writer) {
  GroupKey key;
  key.type = expression.GetType();
  if (expression.GetOperation() == plan::Operation::Dictionary) {
    key.function = expression.FunctionPointer();
    if (!key.function->IsIncreasing()) {
      throw Unsupported("GROUP BY of a function of text; " + text.name +
                        " has too many different strings for a dictionary");
    }
  }
  const Value value = InternedText(text, 0).Write(writer);
  key.text = text;
  key.SetPlaces(value.range.high, value.CanBeNull());
  return key;
}

GroupKey KeyOf(const plan::ExpressionPointer& expression, ExpressionWriter& writer,
               const KernelContext& context) {
  if (const std::optional<InputColumn> text = TextOf(*expression, context))
    return TextKeyOf(*expression, *text, writer);
  GroupKey key;
  key.type = expression->GetType();
  Value value;
  if (key.type.IsFloat()) {
    const FloatGroupKey float_key(expression);
    value = float_key.Write(writer);
    value.domain = float_key.Domain(context.columns);
    key.step = float_key.Step();
  } else if (expression->GetOperation() == plan::Operation::Dictionary) {
    DerivedColumn derived = DictionaryWriter(writer).WriteIdentifier(*expression);
    key.texts = std::move(derived.texts);
    key.integers = std::move(derived.integers);
    value = derived.identifier;
  } else {
    value = writer.Write(expression);
    if (key.type.IsVarchar()) {
      key.texts = context.columns[expression->ColumnIndex()].form->GetDictionary();
    }
  }
  key.low = value.domain.low;
  key.step = std::max(key.step, StepOf(*expression));
  key.SetPlaces(value.domain.high, value.CanBeNull());
  return key;
}

//! `a` * `b`, or kMostIndexes where that is more.
uint64_t LimitedProduct(uint64_t a, uint64_t b) {
  return b > kMostIndexes / a ? kMostIndexes : a * b;
}

//! Keys with their parts of the groups' index. Throws Unsupported.
void LayKeys(const Pipeline& pipeline, const std::vector<bool>& is_dependent,
             ExpressionWriter& writer, const KernelContext& context, AggregateLayout& layout) {
  layout.keys.clear();
  layout.index_places.assign(1, 1);
  layout.groups = 1;
  for (size_t i = 0; i < pipeline.outputs.size(); i++) {
    if (is_dependent[i]) {
      GroupKey& key = layout.keys.emplace_back();
      key.type = pipeline.outputs[i]->GetType();
      key.is_dependent = true;
      continue;
    }
    GroupKey& key = layout.keys.emplace_back(KeyOf(pipeline.outputs[i], writer, context));
    for (GroupDigit& digit : key.digits) {
      PlaceDigit(digit, layout.index_places);
      layout.groups = LimitedProduct(layout.groups, digit.Places());
    }
  }
}

//! At most this many groups, as far as statistics tell.
uint64_t EstimateGroups(const Pipeline& pipeline, const AggregateLayout& layout,
                        const KernelContext& context) {
  uint64_t groups = 1;
  for (size_t i = 0; i < layout.keys.size(); i++) {
    const GroupKey& key = layout.keys[i];
    if (key.is_dependent)
      continue;
    uint64_t values = 1;
    for (const GroupDigit& digit : key.digits)
      values = LimitedProduct(values, digit.Places());
    if (pipeline.outputs[i]->GetOperation() == plan::Operation::Column) {
      const auto& form = *context.columns[pipeline.outputs[i]->ColumnIndex()].form;
      const uint64_t distinct = form.Statistics().distinct_count;
      if (distinct != 0)
        values = std::min(values, distinct + (key.HasNull() ? 1 : 0));
    }
    groups = std::min(layout.groups, LimitedProduct(groups, values));
  }
  return groups;
}

//! A guess of how many groups there will be; where there are more, a hash table grows. `rows` are
//! those of the scanned table.
uint64_t ExpectedGroups(const Program& program, const AggregateLayout& layout,
                        const KernelContext& context, uint64_t rows) {
  const Pipeline& pipeline = program.result;
  double most = program.expected_share;
  // Of keys that the scanned table has there are no more than its rows have, however many rows
  // joins make of them.
  bool are_scanned = true;
  for (const plan::ExpressionPointer& key : pipeline.outputs)
    VisitColumns(*key, [&](size_t column) {
      are_scanned = are_scanned && context.columns[column].table == pipeline.table;
    });
  if (are_scanned)
    most = std::min(most, program.expected_scan_share);
  const auto most_groups = static_cast<uint64_t>(
      std::min(static_cast<double>(rows) * most, static_cast<double>(kMostMultipliedRows)));
  return std::clamp<uint64_t>(EstimateGroups(pipeline, layout, context), 1,
                              std::max<uint64_t>(most_groups, 1));
}

//! Whether a key is a slice of text: unlike a column without a dictionary, it may have few values.
bool HasSlices(const AggregateLayout& layout) {
  return std::any_of(layout.keys.begin(), layout.keys.end(),
                     [](const GroupKey& key) { return key.text && key.text->Slice(); });
}

//! Whether rows of one group follow each other in the scanned table: its one key orders that table.
bool IsClustered(const Pipeline& pipeline, const std::vector<bool>& is_dependent,
                 const KernelContext& context) {
  if (std::count(is_dependent.begin(), is_dependent.end(), false) != 1)
    return false;
  const auto place = std::find(is_dependent.begin(), is_dependent.end(), false);
  const plan::Expression* key =
      OneToOneColumn(*pipeline.outputs[static_cast<size_t>(place - is_dependent.begin())]);
  if (key == nullptr)
    return false;
  const InputColumn& column = context.columns[key->ColumnIndex()];
  return column.table == pipeline.table && column.form->Statistics().sorted;
}

//! The tables that dependent keys read.
std::set<size_t> TablesOf(const Pipeline& pipeline, const std::vector<bool>& is_dependent,
                          const KernelContext& context) {
  std::set<size_t> tables;
  for (size_t i = 0; i < pipeline.outputs.size(); i++) {
    if (!is_dependent[i])
      continue;
    VisitColumns(*pipeline.outputs[i],
                 [&](size_t column) { tables.insert(context.columns[column].table); });
  }
  return tables;
}

//! Whether the pipeline finds a minimum or maximum of 128 bits.
bool HasWideExtreme(const Pipeline& pipeline, ExpressionWriter& writer) {
  return std::any_of(pipeline.aggregates.begin(), pipeline.aggregates.end(),
                     [&](const plan::Aggregate& aggregate) {
                       return (aggregate.function == AggregateFunction::Min ||
                               aggregate.function == AggregateFunction::Max) &&
                              !aggregate.argument->GetType().IsVarchar() &&
                              writer.Write(aggregate.argument).machine == Machine::Wide;
                     });
}

//! Whether the pipeline has groups that a work-group of several work-items can't have to itself:
//! they don't wait for each other where rows may have any number of matches, so that no two of them
//! can own different groups of a table, and those that share one need two passes.
bool SharesWideExtremes(const Pipeline& pipeline, const std::vector<JoinTable>& join_tables,
                        bool multiplies_rows, ExpressionWriter& writer) {
  const bool needs_stops =
      multiplies_rows ||
      std::any_of(pipeline.joins.begin(), pipeline.joins.end(),
                  [&](const PipelineJoin& join) { return join_tables[join.build].IsNestedLoop(); });
  return needs_stops && !pipeline.outputs.empty() && HasWideExtreme(pipeline, writer);
}

//! Whether the pipeline finds a minimum or maximum of text.
bool HasTextExtreme(const Pipeline& pipeline, const KernelContext& context) {
  return std::any_of(pipeline.aggregates.begin(), pipeline.aggregates.end(),
                     [&](const plan::Aggregate& aggregate) {
                       return aggregate.type.IsVarchar() &&
                              StringArgument::FindText(aggregate.argument, context.columns);
                     });
}

//! The fold of a minimum or maximum of `value`. Throws Unsupported.
Fold ExtremeOf(const plan::Aggregate& aggregate, const Value& value, const KernelContext& context) {
  const bool is_minimum = aggregate.function == AggregateFunction::Min;
  if (const InputColumn* text = StringArgument::FindText(aggregate.argument, context.columns)) {
    const Fold fold = is_minimum ? Fold::MinText : Fold::MaxText;
    TextExtreme(*text, fold).Check();
    return fold;
  }
  if (value.machine == Machine::Wide)
    return is_minimum ? Fold::MinWide : Fold::MaxWide;
  return is_minimum ? Fold::Min64 : Fold::Max64;
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

//! A shared table takes in all rows; other tables can be emptied before a Sum64 wraps.
Accumulator SumOf(size_t argument, const Value& value, uint64_t rows, bool multiplies_rows,
                  AggregateLayout& layout) {
  Accumulator sum{Fold::SumFloat, 0, argument, true, false};
  if (value.machine == Machine::Float32 || value.machine == Machine::Float64)
    return sum;
  const Int128 magnitude = std::max<Int128>(value.range.Magnitude(), 1);
  const Int128 safe_rows = std::numeric_limits<int64_t>::max() / magnitude;
  const uint64_t fewest_rows = layout.shared ? rows : kFewestRowsPerTable;
  if (!multiplies_rows && safe_rows >= static_cast<Int128>(fewest_rows)) {
    sum.fold = Fold::Sum64;
    layout.rows_per_table = std::min(layout.rows_per_table,
                                     static_cast<uint64_t>(std::min<Int128>(safe_rows, INT64_MAX)));
    return sum;
  }
  sum.fold = Fold::Sum128;
  sum.is_checked = magnitude > kInt128Max / static_cast<Int128>(layout.most_rows);
  return sum;
}

}  // namespace

Value WriteArgument(const plan::ExpressionPointer& argument, ExpressionWriter& writer,
                    const std::vector<InputColumn>& columns) {
  if (argument->GetType().IsVarchar()) {
    if (const auto string = StringArgument::Find(argument))
      return string->Write(writer, columns);
  }
  return writer.Write(argument);
}

void GroupKey::SetPlaces(Int128 last, bool has_null) {
  const UInt128 place =
      (static_cast<UInt128>(last) - static_cast<UInt128>(low)) / static_cast<UInt128>(step);
  high = static_cast<Int128>(static_cast<UInt128>(low) + place * static_cast<UInt128>(step));
  digits = DigitsOf(place, has_null);
}

std::vector<InputColumn> AggregateLayout::InternedTexts() const {
  std::vector<InputColumn> texts;
  for (const GroupKey& key : keys) {
    if (key.text)
      texts.push_back(*key.text);
  }
  return texts;
}

std::set<size_t> AggregateLayout::ComparedTexts(const std::vector<InputColumn>& columns) const {
  std::set<size_t> texts;
  for (const InputColumn& text : InternedTexts())
    texts.insert(text.number);
  for (const Accumulator& accumulator : accumulators) {
    if (IsText(accumulator.fold))
      texts.insert(StringArgument::FindText(arguments[accumulator.argument], columns)->number);
  }
  return texts;
}

size_t AggregateLayout::KeysBeside(size_t key) const {
  if (keys[key].is_dependent)
    return 0;
  return static_cast<size_t>(std::count_if(
      keys.begin(), keys.end(), [](const GroupKey& other) { return !other.is_dependent; }));
}

AggregateLayout AggregateLayout::Of(const Program& program,
                                    const std::vector<JoinTable>& join_tables,
                                    KernelContext scratch,
                                    const std::vector<uint64_t>& rows_of_tables, Shape shape) {
  const Pipeline& pipeline = program.result;
  const uint64_t rows = rows_of_tables[pipeline.table];
  const bool multiplies_rows = MultipliesRows(pipeline, join_tables);
  AggregateLayout layout;
  layout.most_rows = std::max<uint64_t>(
      MostRows(program, pipeline, join_tables, scratch.columns, rows_of_tables), 1);
  CodeBlock block;
  const DirectReader reader;  // of code that is thrown away
  ExpressionWriter writer(scratch, reader, block);
  std::vector<bool> is_dependent(pipeline.outputs.size(), false);
  try {
    LayKeys(pipeline, is_dependent, writer, scratch, layout);
  } catch (const Unsupported&) {
    layout.groups = kMostIndexes;
  }
  if (layout.groups > kMostOwnGroups || !layout.InternedTexts().empty() ||
      HasTextExtreme(pipeline, scratch) ||
      (shape == Shape::Lanes &&
       SharesWideExtremes(pipeline, join_tables, multiplies_rows, writer))) {
    is_dependent = GroupDependence(program, join_tables, scratch.columns).DependentKeys();
    LayKeys(pipeline, is_dependent, writer, scratch, layout);
    SharedGroups& shared = layout.shared.emplace();
    const uint64_t expected = ExpectedGroups(program, layout, scratch, rows);
    shared.is_hashed =
        layout.index_places.size() > 1 || HasSlices(layout) ||
        (layout.groups > kAlwaysDirect && layout.groups / kMostSlotsPerGroup > expected);
    shared.slots = shared.is_hashed ? std::bit_ceil(std::min(expected, kMostSlotsAtFirst / 2) * 2)
                                    : layout.groups;
    shared.is_clustered = IsClustered(pipeline, is_dependent, scratch);
  }

  layout.expected_groups = ExpectedGroups(program, layout, scratch, rows);

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
      values.push_back(WriteArgument(aggregate.argument, writer, scratch.columns));
      layout.arguments.push_back(aggregate.argument);
      layout.argument_machines.push_back(values.back().machine);
      layout.argument_ranges.push_back(values.back().range);
    }
    const size_t argument = entry->second;
    const Value& value = values[argument];
    if (value.CanBeNull())
      source.count = list.Add({Fold::Count, 0, argument, true, false});
    switch (aggregate.function) {
      case AggregateFunction::Sum:
      case AggregateFunction::Average:
        source.value = list.Add(SumOf(argument, value, rows, multiplies_rows, layout));
        break;
      case AggregateFunction::Min:
      case AggregateFunction::Max:
        source.value = list.Add({ExtremeOf(aggregate, value, scratch), 0, argument, true, false});
        if (aggregate.type.IsVarchar())
          source.texts = StringArgument::Of(aggregate.argument).Texts(writer, scratch.columns);
        break;
      default:
        break;
    }
    layout.sources.push_back(source);
  }
  if (layout.shared) {
    for (size_t table : TablesOf(pipeline, is_dependent, scratch))
      layout.shared->rows.push_back({table, layout.words++});
    layout.shared->has_two_passes = std::any_of(
        layout.accumulators.begin(), layout.accumulators.end(),
        [](const Accumulator& accumulator) { return NeedsTwoPasses(accumulator.fold); });
  }
  return layout;
}

}  // namespace margay::compile
