#include "compile/join_table.hpp"

#include <algorithm>
#include <bit>

#include "compile/refusal.hpp"
#include "compile/uniqueness.hpp"

namespace margay::compile {

namespace {

//! A direct table may have this many slots per row of the table, or kAlwaysDirect in all: beyond, a
//! hash table is smaller and stays in nearer caches.
constexpr uint64_t kMostSlotsPerRow = 8;

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

//! Fewer heads lie in the nearest cache themselves.
constexpr uint64_t kFewestSlotsOfBits = 1024;

//! With more rows than this, most probes would read both.
constexpr double kMostShareOfBits = 0.5;

}  // namespace

bool MultipliesRows(const Pipeline& pipeline, const std::vector<JoinTable>& join_tables) {
  return std::any_of(pipeline.joins.begin(), pipeline.joins.end(), [&](const PipelineJoin& join) {
    return join.GivesBuildSide() && !join_tables[join.build].keys_are_unique;
  });
}

JoinTable JoinTable::Of(const Program& program, size_t build, const std::vector<JoinTable>& others,
                        KernelContext scratch, const std::vector<uint64_t>& rows) {
  const BuildPipeline& side = program.builds[build];
  JoinTable table;
  table.number = build;
  table.table = side.pipeline.table;
  table.rows = rows[table.table];
  table.links = side.links;
  table.is_numbered = MultipliesRows(side.pipeline, others);
  if (table.is_numbered)
    table.links.push_back(table.table);
  if (table.rows > kMostEntries)
    throw Unsupported("a join with a table of more than 2^31 rows");

  CodeBlock block;  // of code that is thrown away
  const DirectReader reader;
  ExpressionWriter writer(scratch, reader, block);
  std::vector<Value> values;
  for (size_t i = 0; i < side.keys.size(); i++) {
    const plan::ExpressionPointer& key = side.keys[i];
    values.push_back(writer.AsOrdered(writer.Write(key)));
    table.holds_null.push_back(side.nulls_are_equal[i] && values.back().CanBeNull());
    // Any number of rows may have NULL.
    table.keys_are_unique = table.keys_are_unique ||
                            (!table.holds_null.back() &&
                             UniqueColumn(*key, scratch.columns, side.pipeline.table) != nullptr);
  }
  table.keys_are_unique = table.keys_are_unique && !table.is_numbered;
  const uint64_t most_slots =
      std::min(std::max(table.rows * kMostSlotsPerRow, kAlwaysDirect), uint64_t{1} << 31);
  table.is_direct = table.AddDirectKeys(values, most_slots);
  if (!table.is_direct)
    table.CompareKeys(side, values, scratch.columns, most_slots);
  table.has_bits = table.is_direct && table.slots >= kFewestSlotsOfBits &&
                   side.expected_share <= kMostShareOfBits;
  return table;
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
    slots = std::bit_ceil(std::max<uint64_t>(rows, 1) * 2);
  for (size_t i = 0; i < values.size(); i++) {
    if (!is_direct || i != direct_keys[0].key)
      compared_keys.push_back(i);
  }
}

bool JoinTable::AddDirectKey(size_t number, const Value& key, uint64_t most_slots) {
  const Range size = key.range - Range::Of(key.range.low);
  const Int128 null_places = holds_null[number] ? 1 : 0;
  if (key.machine == Machine::Wide || !size.exact ||
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

}  // namespace margay::compile
