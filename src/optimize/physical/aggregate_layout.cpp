#include "optimize/physical/aggregate_layout.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "optimize/estimate/uniqueness.hpp"
#include "optimize/physical/float_group_key.hpp"
#include "optimize/physical/group_dependence.hpp"
#include "optimize/physical/group_index_builder.hpp"
#include "optimize/physical/string_argument.hpp"
#include "optimize/unsupported.hpp"
#include "optimize/value/date_builder.hpp"

namespace margay::optimize {

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
      return DateBuilder::StepOf(expression.Part());
    default:
      return 1;
  }
}

//! The text column that `key` is, a slice of one, or what it is a function of; none if there is
//! none.
std::optional<InputColumn> TextOf(const plan::Expression& key,
                                  const std::vector<InputColumn>& columns) {
  const bool is_function = key.GetOperation() == plan::Operation::Dictionary;
  return FindTextColumn(is_function ? key.Operand(0) : key, columns);
}

//! Why rows of a text column must have numbers.
void RequireNumbers(const InputColumn& text, const std::string& what) {
  if (!CanNumberRows(text)) {
    throw Unsupported(what + " of text in more than " + std::to_string(INT32_MAX) + " rows; " +
                      text.name + " has too many different strings for a dictionary");
  }
}

//! The key `expression` that is `text`, or a function of it; `number` tells it from other texts.
GroupKey TextKeyOf(const plan::Expression& expression, const InputColumn& text, size_t number,
                   ValueBuilder& builder) {
  GroupKey key;
  key.type = expression.GetType();
  if (expression.GetOperation() == plan::Operation::Dictionary) {
    key.function = expression.FunctionPointer();
    if (!key.function->IsIncreasing()) {
      throw Unsupported("GROUP BY of a function of text; " + text.name +
                        " has too many different strings for a dictionary");
    }
  }
  RequireNumbers(text, "GROUP BY");
  key.text = text;
  key.string = builder.TextOf(text);
  builder.Graph().Require("text_hash.cl");
  key.value.node = builder.Graph().Interned(number);
  key.value.null = builder.ColumnValue(builder.Context().columns[text.number]).null;
  key.value.range = key.value.domain = {
      0, static_cast<Int128>(std::max<uint64_t>(text.TextImage()->Rows(), 1) - 1), true};
  key.SetPlaces(key.value.range.high, key.value.CanBeNull());
  return key;
}

//! `texts` counts the keys that are text.
GroupKey KeyOf(const plan::ExpressionPointer& expression, size_t& texts, ValueBuilder& builder) {
  const std::vector<InputColumn>& columns = builder.Context().columns;
  if (const std::optional<InputColumn> text = TextOf(*expression, columns))
    return TextKeyOf(*expression, *text, texts++, builder);
  GroupKey key;
  key.type = expression->GetType();
  if (key.type.IsFloat()) {
    const FloatGroupKey float_key(expression);
    key.value = float_key.Build(builder);
    key.step = float_key.Step();
  } else if (expression->GetOperation() == plan::Operation::Dictionary) {
    key.value = builder.Collect([&] {
      DerivedColumn derived = DictionaryBuilder(builder).BuildIdentifier(*expression);
      key.texts = std::move(derived.texts);
      key.integers = std::move(derived.integers);
      return derived.identifier;
    });
  } else {
    key.value = builder.Build(expression);
    if (key.type.IsVarchar())
      key.texts = columns[expression->ColumnIndex()].form->GetDictionary();
  }
  key.low = key.value.domain.low;
  key.step = std::max(key.step, StepOf(*expression));
  key.SetPlaces(key.value.domain.high, key.value.CanBeNull());
  return key;
}

//! `a` * `b`, or kMostIndexes where that is more.
uint64_t LimitedProduct(uint64_t a, uint64_t b) {
  return b > kMostIndexes / a ? kMostIndexes : a * b;
}

//! Keys with their parts of the groups' index. Throws Unsupported.
void LayKeys(const Pipeline& pipeline, const std::vector<bool>& is_dependent, ValueBuilder& builder,
             AggregateLayout& layout) {
  layout.keys.clear();
  layout.index_places.assign(1, 1);
  layout.groups = 1;
  size_t texts = 0;
  for (size_t i = 0; i < pipeline.outputs.size(); i++) {
    if (is_dependent[i]) {
      GroupKey& key = layout.keys.emplace_back();
      key.type = pipeline.outputs[i]->GetType();
      key.is_dependent = true;
      continue;
    }
    GroupKey& key = layout.keys.emplace_back(KeyOf(pipeline.outputs[i], texts, builder));
    for (GroupDigit& digit : key.digits) {
      PlaceDigit(digit, layout.index_places);
      layout.groups = LimitedProduct(layout.groups, digit.Places());
    }
  }
}

//! At most this many groups, as far as statistics tell.
uint64_t EstimateGroups(const Pipeline& pipeline, const AggregateLayout& layout,
                        const ValueContext& context) {
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

//! An estimate of how many groups there will be; where there are more, a hash table grows. `rows`
//! are those of the scanned table.
uint64_t ExpectedGroups(const Stage& stage, const AggregateLayout& layout,
                        const ValueContext& context, uint64_t rows) {
  const Pipeline& pipeline = stage.result;
  double most = stage.expected_share;
  // Of keys that the scanned table has there are no more than its rows have, however many rows
  // joins make of them.
  bool are_scanned = true;
  for (const plan::ExpressionPointer& key : pipeline.outputs)
    VisitColumns(*key, [&](size_t column) {
      are_scanned = are_scanned && context.columns[column].table == pipeline.table;
    });
  if (are_scanned)
    most = std::min(most, stage.expected_scan_share);
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
                 const ValueContext& context) {
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
                          const ValueContext& context) {
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
bool HasWideExtreme(const Pipeline& pipeline, ValueBuilder& builder) {
  return std::any_of(pipeline.aggregates.begin(), pipeline.aggregates.end(),
                     [&](const plan::Aggregate& aggregate) {
                       return (aggregate.function == AggregateFunction::Min ||
                               aggregate.function == AggregateFunction::Max) &&
                              !aggregate.argument->GetType().IsVarchar() &&
                              builder.Build(aggregate.argument).GetMachine() == Machine::Wide;
                     });
}

//! Whether the pipeline has groups that a work-group of several work-items can't have to itself:
//! they don't wait for each other where rows may have any number of matches, so that no two of them
//! can own different groups of a table, and those that share one need two passes.
bool SharesWideExtremes(const Pipeline& pipeline, const std::vector<JoinTable>& join_tables,
                        bool multiplies_rows, ValueBuilder& builder) {
  const bool needs_stops =
      multiplies_rows ||
      std::any_of(pipeline.joins.begin(), pipeline.joins.end(),
                  [&](const PipelineJoin& join) { return join_tables[join.build].IsNestedLoop(); });
  return needs_stops && !pipeline.outputs.empty() && HasWideExtreme(pipeline, builder);
}

//! Whether the pipeline finds a minimum or maximum of text.
bool HasTextExtreme(const Pipeline& pipeline, const ValueContext& context) {
  return std::any_of(pipeline.aggregates.begin(), pipeline.aggregates.end(),
                     [&](const plan::Aggregate& aggregate) {
                       return aggregate.type.IsVarchar() &&
                              StringArgument::FindText(aggregate.argument, context.columns);
                     });
}

bool IsExtreme(AggregateFunction function) {
  return function == AggregateFunction::Min || function == AggregateFunction::Max;
}

//! Whether the groups need one table for all work-groups: see SharedGroups.
bool NeedsSharedTable(const Pipeline& pipeline, const std::vector<JoinTable>& join_tables,
                      const ValueContext& context, Shape shape) {
  // Without a dependence among keys; what is built here is for this question alone.
  NodeGraph graph;
  Parameters parameters;
  ValueBuilder builder(context, graph, parameters);
  AggregateLayout layout;
  try {
    LayKeys(pipeline, std::vector<bool>(pipeline.outputs.size(), false), builder, layout);
  } catch (const Unsupported&) {
    return true;  // perhaps a key that follows from others
  }
  return layout.groups > kMostOwnGroups || !layout.InternedTexts().empty() ||
         HasTextExtreme(pipeline, context) ||
         (shape == Shape::Lanes &&
          SharesWideExtremes(pipeline, join_tables, MultipliesRows(pipeline, join_tables),
                             builder));
}

//! The fold of a minimum or maximum of `argument`. Throws Unsupported.
Fold ExtremeOf(AggregateFunction function, const AggregateLayout::Argument& argument) {
  const bool is_minimum = function == AggregateFunction::Min;
  if (argument.text) {
    RequireNumbers(*argument.text, "minimum or maximum");
    return is_minimum ? Fold::MinText : Fold::MaxText;
  }
  if (argument.value.GetMachine() == Machine::Wide)
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
  if (IsFloat(value.GetMachine()))
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

std::set<size_t> AggregateLayout::ComparedTexts() const {
  std::set<size_t> texts;
  for (const InputColumn& text : InternedTexts())
    texts.insert(text.number);
  for (const Argument& argument : arguments) {
    if (argument.text)
      texts.insert(argument.text->number);
  }
  return texts;
}

bool AggregateLayout::IsLike(const AggregateLayout& other) const {
  const auto same_key = [](const GroupKey& a, const GroupKey& b) {
    return a.is_dependent == b.is_dependent && a.low == b.low && a.high == b.high &&
           a.step == b.step && a.digits == b.digits && storage::AreEqual(a.texts, b.texts) &&
           a.integers == b.integers && !a.text && !b.text;
  };
  // Columns of the result are made as their ranges ask for.
  const auto same_argument = [](const Argument& a, const Argument& b) {
    return a.value.GetMachine() == b.value.GetMachine() && a.value.range == b.value.range &&
           a.value.CanBeNull() == b.value.CanBeNull() && !a.text && !b.text;
  };
  const auto same_source = [](const Source& a, const Source& b) {
    return a.value == b.value && a.count == b.count && storage::AreEqual(a.texts, b.texts);
  };
  return std::equal(keys.begin(), keys.end(), other.keys.begin(), other.keys.end(), same_key) &&
         index_places == other.index_places && groups == other.groups && shared == other.shared &&
         accumulators == other.accumulators &&
         std::equal(arguments.begin(), arguments.end(), other.arguments.begin(),
                    other.arguments.end(), same_argument) &&
         std::equal(sources.begin(), sources.end(), other.sources.begin(), other.sources.end(),
                    same_source) &&
         words == other.words && rows_per_table == other.rows_per_table;
}

size_t AggregateLayout::KeysBeside(size_t key) const {
  if (keys[key].is_dependent)
    return 0;
  return static_cast<size_t>(std::count_if(
      keys.begin(), keys.end(), [](const GroupKey& other) { return !other.is_dependent; }));
}

namespace {

//! Adds the arguments of aggregates to a layout, each different one once.
class ArgumentList {
 public:
  ArgumentList(AggregateLayout& layout, ValueBuilder& builder)
      : layout_(layout), builder_(builder) {}

  //! The number of the argument of `aggregate`, which has one. Throws Unsupported.
  size_t Add(const plan::Aggregate& aggregate) {
    // Of a string that is only counted nothing is needed but whether it is NULL.
    const bool is_string =
        aggregate.argument->GetType().IsVarchar() && IsExtreme(aggregate.function);
    for (size_t i = 0; i < layout_.arguments.size(); i++) {
      if (strings_[i].has_value() == is_string &&
          plan::SameExpression(*layout_.arguments[i].expression, *aggregate.argument))
        return i;
    }
    AggregateLayout::Argument argument;
    argument.expression = aggregate.argument;
    strings_.emplace_back();
    if (is_string) {
      if (const InputColumn* text =
              StringArgument::FindText(aggregate.argument, builder_.Context().columns))
        argument.text = *text;
      strings_.back() = StringArgument::Of(aggregate.argument).Build(builder_);
      argument.value = strings_.back()->value;
      if (argument.text)
        argument.string = builder_.TextOf(*argument.text);
    } else {
      argument.value = CountedOrComputed(aggregate.argument);
    }
    layout_.arguments.push_back(std::move(argument));
    return layout_.arguments.size() - 1;
  }

  //! What the codes of such a string stand for.
  const std::shared_ptr<const storage::Dictionary>& TextsOf(size_t argument) const {
    return strings_[argument]->texts;
  }

 private:
  //! The value of an argument; of a string only whether it is NULL counts.
  Value CountedOrComputed(const plan::ExpressionPointer& argument) {
    const auto string =
        argument->GetType().IsVarchar() ? StringArgument::Find(argument) : std::nullopt;
    if (!string)
      return builder_.Build(argument);
    Value value = string->Build(builder_).value;
    value.node = builder_.Graph().Literal(0, Machine::Int32);
    return value;
  }

  AggregateLayout& layout_;
  ValueBuilder& builder_;
  std::vector<std::optional<StringArgument::Number>> strings_;  //!< by argument
};

}  // namespace

AggregateLayout AggregateLayout::Of(const Stage& stage, const std::vector<JoinTable>& join_tables,
                                    ValueBuilder& builder,
                                    const std::vector<uint64_t>& rows_of_tables, Shape shape) {
  const ValueContext& context = builder.Context();
  const Pipeline& pipeline = stage.result;
  const uint64_t rows = rows_of_tables[pipeline.table];
  const bool multiplies_rows = MultipliesRows(pipeline, join_tables);
  AggregateLayout layout;
  layout.most_rows = std::max<uint64_t>(
      MostRows(stage, pipeline, join_tables, context.columns, rows_of_tables), 1);
  std::vector<bool> is_dependent(pipeline.outputs.size(), false);
  const bool is_shared = NeedsSharedTable(pipeline, join_tables, context, shape);
  if (is_shared)
    is_dependent = GroupDependence(stage, join_tables, context.columns).DependentKeys();
  LayKeys(pipeline, is_dependent, builder, layout);
  if (is_shared) {
    SharedGroups& shared = layout.shared.emplace();
    const uint64_t expected = ExpectedGroups(stage, layout, context, rows);
    shared.is_hashed =
        layout.index_places.size() > 1 || HasSlices(layout) ||
        (layout.groups > kAlwaysDirect && layout.groups / kMostSlotsPerGroup > expected);
    shared.slots = shared.is_hashed ? std::bit_ceil(std::min(expected, kMostSlotsAtFirst / 2) * 2)
                                    : layout.groups;
    shared.is_clustered = IsClustered(pipeline, is_dependent, context);
  }
  layout.expected_groups = ExpectedGroups(stage, layout, context, rows);
  for (size_t i = 0; i < layout.keys.size(); i++) {
    const plan::Operation operation = pipeline.outputs[i]->GetOperation();
    layout.is_index_certain =
        layout.is_index_certain &&
        (layout.keys[i].is_dependent || layout.keys[i].text ||
         operation == plan::Operation::Column || operation == plan::Operation::Dictionary);
  }
  layout.index = GroupIndexBuilder(layout, builder).Build();

  AccumulatorList list(layout);
  ArgumentList arguments(layout, builder);
  for (const plan::Aggregate& aggregate : pipeline.aggregates) {
    Source source;
    if (aggregate.function == AggregateFunction::CountStar) {
      layout.sources.push_back(source);
      continue;
    }
    const size_t argument = arguments.Add(aggregate);
    const Value& value = layout.arguments[argument].value;
    if (value.CanBeNull())
      source.count = list.Add({Fold::Count, 0, argument, true, false});
    switch (aggregate.function) {
      case AggregateFunction::Sum:
      case AggregateFunction::Average:
        source.value = list.Add(SumOf(argument, value, rows, multiplies_rows, layout));
        break;
      case AggregateFunction::Min:
      case AggregateFunction::Max:
        source.value = list.Add(
            {ExtremeOf(aggregate.function, layout.arguments[argument]), 0, argument, true, false});
        if (aggregate.type.IsVarchar())
          source.texts = arguments.TextsOf(argument);
        break;
      default:
        break;
    }
    layout.sources.push_back(source);
  }
  if (layout.shared) {
    for (size_t table : TablesOf(pipeline, is_dependent, context))
      layout.shared->rows.push_back({table, layout.words++});
    layout.shared->has_two_passes = std::any_of(
        layout.accumulators.begin(), layout.accumulators.end(),
        [](const Accumulator& accumulator) { return NeedsTwoPasses(accumulator.fold); });
  }
  return layout;
}

}  // namespace margay::optimize
