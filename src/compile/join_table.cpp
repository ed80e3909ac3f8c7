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
constexpr uint64_t kAlwaysDirect = uint64_t{1} << 20;

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
  table.is_direct = true;
  const uint64_t most_slots =
      std::min(std::max(table.rows * kMostSlotsPerRow, kAlwaysDirect), uint64_t{1} << 31);
  for (const plan::ExpressionPointer& key : side.keys) {
    if (key->GetType().IsFloat())
      throw Unsupported("a join by " + key->GetType().ToString());
    table.keys_are_unique = table.keys_are_unique ||
                            UniqueColumn(*key, scratch.columns, side.pipeline.table) != nullptr;
    const Value value = writer.Write(key);
    const Range size = value.range - Range::Of(value.range.low);
    if (value.machine == Machine::Wide || !size.exact ||
        size.high >= static_cast<Int128>(most_slots / table.slots)) {
      table.is_direct = false;
    }
    if (!table.is_direct)
      continue;
    const uint64_t values = static_cast<uint64_t>(size.high) + 1;
    table.direct_keys.push_back({value.range.low, values, table.slots});
    table.slots *= values;
  }
  table.keys_are_unique = table.keys_are_unique && !table.is_numbered;
  if (!table.is_direct) {
    table.direct_keys.clear();
    table.slots = std::bit_ceil(std::max<uint64_t>(table.rows, 1) * 2);
  }
  return table;
}

}  // namespace margay::compile
