#include "optimize/physical/join_table.hpp"

#include <algorithm>
#include <bit>

#include "optimize/estimate/uniqueness.hpp"
#include "optimize/unsupported.hpp"

namespace margay::optimize {

namespace {

//! A direct table may have this many slots per row of the table, or kAlwaysDirect in all: beyond, a
//! hash table is smaller and stays in nearer caches.
constexpr uint64_t kMostSlotsPerRow = 8;

//! A bitmap may have this many times as many: its slots are bits, not words.
constexpr uint64_t kBitsPerSlot = 32;

//! A ranked one as well, with two bits per slot where a direct table has a word: 16 times.
constexpr uint64_t kRanksPerSlot = 16;

//! Fewer heads stay in near caches, where reading one is faster than counting bits.
constexpr uint64_t kFewestSlotsOfRanks = uint64_t{1} << 18;

//! No table has more slots.
constexpr uint64_t kMostSlots = uint64_t{1} << 31;

//! Of groups only the most that there can be is known, which may be far from what there are. Tables
//! are made for no more than these; chains of entries get longer where there are.
constexpr uint64_t kMostExpectedGroups = uint64_t{1} << 21;

//! A direct table may have as many where that method is forced: 1 GiB.
constexpr uint64_t kMostForcedSlots = uint64_t{1} << 28;

//! A slot by one of several keys should not have more entries than this on average: they are all
//! looked at.
constexpr uint64_t kMostRowsPerValue = 8;

//! Whether `key` is a column of `table` whose values each occur in few rows, as statistics tell.
bool HasFewRowsPerValue(const plan::Expression& key, const std::vector<InputColumn>& columns,
                        size_t table) {
  if (key.GetOperation() != plan::Operation::Column)
    return false;
  const InputColumn& column = columns[key.ColumnIndex()];
  const storage::ColumnStatistics& statistics = column.form->Statistics();
  return column.table == table && statistics.distinct_count != 0 &&
         statistics.rows / statistics.distinct_count <= kMostRowsPerValue;
}

//! Whether the rows of `side` are all rows of its table, sorted by their one key, which is unique.
bool IsSorted(const BuildPipeline& side, const std::vector<InputColumn>& columns) {
  if (!side.pipeline.conjuncts.empty() || !side.pipeline.joins.empty() || side.keys.size() != 1 ||
      side.keys[0]->GetOperation() != plan::Operation::Column)
    return false;
  const InputColumn& column = columns[side.keys[0]->ColumnIndex()];
  return column.image && column.form->Statistics().sorted &&
         UniqueColumn(*side.keys[0], columns, side.pipeline.table) != nullptr;
}

//! Whether a direct table by `key` would lie beyond near caches.
bool IsFar(const Value& key) {
  const Range size = key.range - Range::Of(key.range.low);
  return !size.exact || size.high >= static_cast<Int128>(kFewestSlotsOfRanks);
}

//! Fewer heads lie in the nearest cache themselves.
constexpr uint64_t kFewestSlotsOfBits = 1024;

//! A hash table for fewer rows lies in caches, where an entry is put into its slot sooner than
//! split off.
constexpr double kFewestPartitionedRows = 1 << 22;

//! With more rows than this, most probes would read both.
constexpr double kMostShareOfBits = 0.5;

//! Of a hash table: half of them stay empty.
uint64_t HashSlots(uint64_t entries) {
  return std::bit_ceil(std::max<uint64_t>(entries, 1) * 2);
}

}  // namespace

bool MultipliesRows(const Pipeline& pipeline, const std::vector<JoinTable>& join_tables) {
  return std::any_of(pipeline.joins.begin(), pipeline.joins.end(), [&](const PipelineJoin& join) {
    return join.GivesBuildSide() && !join_tables[join.build].keys_are_unique;
  });
}

uint64_t MostRows(const Stage& stage, const Pipeline& pipeline,
                  const std::vector<JoinTable>& join_tables,
                  const std::vector<InputColumn>& columns, const std::vector<uint64_t>& rows) {
  uint64_t most = std::min(rows[pipeline.table], kMostMultipliedRows);
  bool is_multiplied = false;
  for (const PipelineJoin& join : pipeline.joins) {
    if (!join.GivesBuildSide() || join_tables[join.build].keys_are_unique)
      continue;
    const uint64_t matches =
        MostRows(stage, stage.builds[join.build].pipeline, join_tables, columns, rows);
    // A row of the build side is found by one row at most whose key is unique.
    const bool has_own_matches =
        !is_multiplied && std::any_of(join.keys.begin(), join.keys.end(), [&](const auto& key) {
          return !key.nulls_are_equal && UniqueColumn(*key.probe, columns, pipeline.table);
        });
    is_multiplied = true;
    if (!has_own_matches)
      most = most > kMostMultipliedRows / std::max<uint64_t>(matches, 1)
                 ? kMostMultipliedRows
                 : most * std::max<uint64_t>(matches, 1);
    else if (join.kind == plan::JoinKind::Left)
      most = std::min(most + matches, kMostMultipliedRows);
    else
      most = matches;
  }
  return most;
}

JoinTable JoinTable::Of(const Stage& stage, size_t build, const std::vector<JoinTable>& others,
                        const ValueContext& context, const std::vector<uint64_t>& rows, Shape shape,
                        std::optional<JoinMethod> method) {
  const BuildPipeline& side = stage.builds[build];
  JoinTable table;
  table.number = build;
  table.table = side.pipeline.table;
  table.rows = rows[table.table];
  table.links = side.links;
  table.ranged_key = side.ranged_key;
  table.is_numbered = MultipliesRows(side.pipeline, others);
  if (table.is_numbered)
    table.links.push_back(table.table);
  if (table.rows > kMostEntries)
    throw Unsupported("a join with a table of more than 2^31 rows");

  NodeGraph graph;
  Parameters parameters;
  ValueBuilder builder(context, graph, parameters);
  std::vector<Value> values;
  table.keys_are_unique = table.rows <= 1;
  for (size_t i = 0; i < side.keys.size(); i++) {
    const plan::ExpressionPointer& key = side.keys[i];
    values.push_back(builder.AsOrdered(builder.Build(key)));
    table.holds_null.push_back(side.nulls_are_equal[i] && values.back().CanBeNull());
    // Any number of rows may have NULL.
    table.keys_are_unique = table.keys_are_unique ||
                            (!table.holds_null.back() &&
                             UniqueColumn(*key, context.columns, side.pipeline.table) != nullptr);
  }
  table.keys_are_unique =
      !table.is_numbered &&
      (table.keys_are_unique || AreGroupKeys(side.keys, context.columns, side.pipeline.table));
  if (table.ranged_key && values[*table.ranged_key].GetMachine() == Machine::Wide)
    table.ranged_key.reset();
  table.ChooseForm(side, values, context.columns, shape, method);
  return table;
}

void JoinTable::ChooseForm(const BuildPipeline& side, const std::vector<Value>& keys,
                           const std::vector<InputColumn>& columns, Shape shape,
                           std::optional<JoinMethod> method) {
  const uint64_t expected = ExpectedRows(columns);
  const uint64_t few_slots = std::max(expected * kMostSlotsPerRow, kAlwaysDirect);
  const auto most_slots = [&](JoinMethod form, uint64_t times) {
    return method == form ? kMostSlots : std::min(few_slots * times, kMostSlots);
  };
  const auto may_be = [&](JoinMethod form) { return !method || method == form; };
  if (!side.needs_rows && (!side.needs_matches || keys_are_unique) && may_be(JoinMethod::Bitmap))
    MakeBitmap(keys, most_slots(JoinMethod::Bitmap, kBitsPerSlot));
  if (!is_bitmap && may_be(JoinMethod::RankBitmap) && IsSorted(side, columns) &&
      (method || IsFar(keys[0])))
    MakeRanked(keys, most_slots(JoinMethod::RankBitmap, kRanksPerSlot));
  if (is_bitmap || is_ranked)
    return;
  uint64_t most_heads = std::min(few_slots, kMostSlots);
  if (method == JoinMethod::Direct)
    most_heads = kMostForcedSlots;
  else if ((method == JoinMethod::Hash || method == JoinMethod::PartitionedHash) && !keys.empty())
    most_heads = 0;
  is_direct = AddDirectKeys(keys, most_heads);
  if (!is_direct)
    CompareKeys(side, keys, columns, most_heads);
  // The slots of a partitioned table are numbered in 32 bits.
  if (!is_direct && slots <= kMostSlots && method != JoinMethod::Hash)
    is_partitioned = HasNexts() && (method == JoinMethod::PartitionedHash ||
                                    IsWorthPartitions(side, columns, shape));
  has_bits = is_direct && slots >= kFewestSlotsOfBits && side.expected_share <= kMostShareOfBits;
}

bool JoinTable::IsWorthPartitions(const BuildPipeline& side,
                                  const std::vector<InputColumn>& columns, Shape shape) const {
  // GPUs, which have many atomic operations under way at once, were not measured.
  return shape == Shape::Loop &&
         static_cast<double>(ExpectedRows(columns)) * side.expected_share >= kFewestPartitionedRows;
}

uint64_t JoinTable::ExpectedRows(const std::vector<InputColumn>& columns) const {
  const bool is_kept = std::any_of(columns.begin(), columns.end(), [&](const InputColumn& column) {
    return column.table == table && !column.image;
  });
  return is_kept ? std::min(rows, kMostExpectedGroups) : rows;
}

uint64_t JoinTable::SlotsFor(uint64_t entries) const {
  return is_direct ? slots : std::min(slots, HashSlots(entries));
}

JoinMethod JoinTable::Method() const {
  if (is_bitmap)
    return JoinMethod::Bitmap;
  if (is_ranked)
    return JoinMethod::RankBitmap;
  if (holds_null.empty())
    return JoinMethod::NestedLoop;
  if (is_partitioned)
    return JoinMethod::PartitionedHash;
  return is_direct ? JoinMethod::Direct : JoinMethod::Hash;
}

void JoinTable::MakeRanked(const std::vector<Value>& keys, uint64_t most_slots) {
  is_ranked = AddDirectKeys(keys, most_slots);
  is_direct = has_bits = is_ranked;
}

void JoinTable::MakeBitmap(const std::vector<Value>& keys, uint64_t most_slots) {
  is_bitmap = AddDirectKeys(keys, most_slots);
  if (!is_bitmap)
    return;
  is_direct = has_bits = true;
  // A slot counts once, and is no row.
  keys_are_unique = true;
  is_numbered = false;
  links.clear();
}

void JoinTable::CompareKeys(const BuildPipeline& side, const std::vector<Value>& values,
                            const std::vector<InputColumn>& columns, uint64_t most_slots) {
  // One key alone may tell entries apart well enough.
  for (size_t i = 0; i < values.size() && values.size() > 1; i++) {
    if (!HasFewRowsPerValue(*side.keys[i], columns, table))
      continue;
    is_direct = AddDirectKey(i, values[i], most_slots);
    if (is_direct)
      break;
  }
  if (!is_direct)
    slots = HashSlots(ExpectedRows(columns));
  for (size_t i = 0; i < values.size(); i++) {
    // Beside a hash the join has the strings themselves as a condition.
    const bool is_hash = side.keys[i]->GetOperation() == plan::Operation::TextHash;
    if (!is_hash && (!is_direct || i != direct_keys[0].key))
      compared_keys.push_back(i);
  }
}

bool JoinTable::AddDirectKey(size_t number, const Value& key, uint64_t most_slots) {
  const Range size = key.range - Range::Of(key.range.low);
  const Int128 null_places = holds_null[number] ? 1 : 0;
  if (key.GetMachine() == Machine::Wide || !size.exact ||
      size.high + null_places >= static_cast<Int128>(most_slots / slots)) {
    return false;
  }
  const uint64_t values = static_cast<uint64_t>(size.high) + 1;
  direct_keys.push_back({number, key.range.low, values, slots});
  slots *= values + static_cast<uint64_t>(null_places);
  return true;
}

bool JoinTable::AddDirectKeys(const std::vector<Value>& keys, uint64_t most_slots) {
  for (size_t i = 0; i < keys.size(); i++) {
    if (!AddDirectKey(i, keys[i], most_slots)) {
      direct_keys.clear();
      slots = 1;
      return false;
    }
  }
  return true;
}

}  // namespace margay::optimize
