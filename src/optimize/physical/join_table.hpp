#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "optimize/physical/join_method.hpp"
#include "optimize/physical/shape.hpp"
#include "optimize/physical/stage.hpp"
#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! The rows of a build side by their keys. Filled by the build side's pipeline, read by the
//! pipelines that join with it; lives for one execution.
//!
//!   heads   slots x uint    entry + 1 of the first entry with a key of this slot, 0 for none
//!   bits    slots x 1 bit   whether the slot has an entry; only where few have (has_bits). So much
//!                           smaller that most rows without a match are done in near caches. The
//!                           heads of slots without an entry are undefined then, unless there are
//!                           nexts. A bitmap is nothing but bits: for joins that need to know no
//!                           more
//!   counts  words x uint    how many bits are set before each of their words; in place of heads
//!                           where the rows are sorted by their unique key (is_ranked): the row of
//!                           a key is the number of keys before it
//!   nexts   entries x int   entry + 1 of the next entry of the same slot, 0 at the end; only where
//!                           several entries can have one slot
//!   links   entries x int   per linked table: its row of this entry, or -1
//!
//! An entry is a row of the build side's table, and has its number. Where joins of the build side
//! make several rows of one, entries are numbered as they come, and their own table is linked too.
//!
//! The slot of an entry is the place of its keys in the product of their domains (direct), or a
//! hash of them. A direct table may leave keys out whose domains are too large; they are compared
//! then, as all keys of a hash table are. Without keys there is one slot, and all entries are in
//! it: a nested loop.
//!
//! A hash table beyond caches is partitioned: its pipeline writes the slot plus one of each entry
//! to nexts, 0 standing for no entry, and kernels::SlotChains makes heads and nexts of them. Once
//! it is filled, it is a hash table like others.
struct JoinTable {
  //! A key of a direct table: slot = sum over keys of (value - low) * stride. NULL, where the table
  //! holds it, takes the place behind the last value.
  struct DirectKey {
    size_t key = 0;  //!< its number
    Int128 low = 0;
    uint64_t values = 1;  //!< without NULL
    uint64_t stride = 1;
  };

  size_t number = 0;  //!< of the build side
  size_t table = 0;   //!< whose rows it holds
  uint64_t rows = 0;  //!< of that table
  bool is_direct = false;
  std::vector<DirectKey> direct_keys;  //!< is_direct
  std::vector<size_t> compared_keys;   //!< numbers of those that differ among the entries of a slot
  uint64_t slots = 1;                  //!< unless is_direct, a power of two: the most there may be
  bool keys_are_unique = false;        //!< no two entries have equal keys
  std::vector<bool> holds_null;        //!< per key: entries may have NULL, which matches NULL
  bool is_partitioned = false;         //!< filled by partitions of slots; not is_direct
  bool is_numbered = false;            //!< entries are numbered as they come
  bool has_bits = false;
  bool is_bitmap = false;     //!< has no entries but bits; is_direct and has_bits too
  bool is_ranked = false;     //!< has counts; is_direct and has_bits too
  std::vector<size_t> links;  //!< tables
  //! The number of a key whose least and greatest values are noted as entries come.
  std::optional<size_t> ranged_key;

  JoinMethod Method() const;
  bool HasHeads() const { return !is_bitmap && !is_ranked; }
  bool HasUndefinedHeads() const { return HasHeads() && has_bits && !HasNexts(); }
  uint64_t BitWords() const { return (slots + 31) / 32; }
  bool HasNexts() const { return !(compared_keys.empty() && keys_are_unique); }
  //! Of a table with `entries` entries.
  uint64_t SlotsFor(uint64_t entries) const;
  //! Every row of the probe side looks at all entries.
  bool IsNestedLoop() const { return holds_null.empty() && !keys_are_unique; }

  //! Chooses the form of the table for a build side, for kernels of `shape`: `method`, if there is
  //! one and it can serve the join. `others` are the tables that it joins with, `context` is that
  //! of its pipeline, `rows` are those of all tables. Throws Unsupported.
  static JoinTable Of(const Stage& stage, size_t build, const std::vector<JoinTable>& others,
                      const ValueContext& context, const std::vector<uint64_t>& rows, Shape shape,
                      std::optional<JoinMethod> method);

 private:
  //! Chooses how slots are found and what they hold: `method`, if that is possible.
  void ChooseForm(const BuildPipeline& side, const std::vector<Value>& keys,
                  const std::vector<InputColumn>& columns, Shape shape,
                  std::optional<JoinMethod> method);
  //! Whether a hash table lies so far beyond caches that it had better be filled by partitions.
  bool IsWorthPartitions(const BuildPipeline& side, const std::vector<InputColumn>& columns,
                         Shape shape) const;
  //! Rows to have room for.
  uint64_t ExpectedRows(const std::vector<InputColumn>& columns) const;
  //! Makes the table a bitmap, or a ranked one, if that has no more than `most_slots` slots.
  void MakeBitmap(const std::vector<Value>& keys, uint64_t most_slots);
  void MakeRanked(const std::vector<Value>& keys, uint64_t most_slots);
  //! Makes a key, or all of them, part of a direct table's slot, unless there were more than
  //! `most_slots` slots then.
  bool AddDirectKey(size_t number, const Value& key, uint64_t most_slots);
  bool AddDirectKeys(const std::vector<Value>& keys, uint64_t most_slots);
  //! Chooses the form of a table whose slots don't tell all keys apart.
  void CompareKeys(const BuildPipeline& side, const std::vector<Value>& values,
                   const std::vector<InputColumn>& columns, uint64_t most_slots);
};

//! A table of joins or groups with at most this many slots is indexed directly, however few of them
//! are taken.
inline constexpr uint64_t kAlwaysDirect = uint64_t{1} << 20;

//! Entry numbers plus one are ints.
inline constexpr uint64_t kMostEntries = (uint64_t{1} << 31) - 2;

//! Whether joins can make several rows of one. `join_tables` are those of the stage's builds.
bool MultipliesRows(const Pipeline& pipeline, const std::vector<JoinTable>& join_tables);

//! No pipeline gives more rows: it would take years.
inline constexpr uint64_t kMostMultipliedRows = uint64_t{1} << 60;

//! The most rows that `pipeline` of `stage` gives. `columns` and `rows` are those of all tables.
uint64_t MostRows(const Stage& stage, const Pipeline& pipeline,
                  const std::vector<JoinTable>& join_tables,
                  const std::vector<InputColumn>& columns, const std::vector<uint64_t>& rows);

}  // namespace margay::optimize
