#pragma once

#include <string>
#include <vector>

#include "compile/join_table.hpp"

namespace margay::compile {

//! Writes how rows get into join tables and how their matches are found. A row of table `t` is the
//! variable `row<t>`, -1 where a left join found none.
class JoinWriter {
 public:
  JoinWriter(ExpressionWriter& writer, KernelContext& context, CodeBlock& block)
      : writer_(writer), context_(context), block_(block) {}

  //! Writes the search for the matches of the row at hand. What follows runs once for every row
  //! that the join gives; returns how many scopes it must close at its end. `head`: what WriteHead
  //! gave for the row, if that was written before.
  size_t WriteProbe(const PipelineJoin& join, const JoinTable& table, const std::string& head = "");
  //! A statement that ends that search with the match at hand, where the join is no lookup.
  static std::string EndCode(const JoinTable& table);

  //! Whether the join gives at most one row, which is found without a branch.
  static bool IsLookup(const PipelineJoin& join, const JoinTable& table) {
    return !table.HasNexts() && !join.residual;
  }
  //! Writes such a join without a branch; returns an int that is 1 if it gives a row.
  std::string WriteLookup(const PipelineJoin& join, const JoinTable& table);
  //! Writes the lookup of a row whose slot is known to have an entry.
  void WriteKnownLookup(const PipelineJoin& join, const JoinTable& table);
  //! Writes whether the slot of the row at hand has an entry, by the bits of `table`; returns an
  //! int of 0 or 1.
  std::string WriteTaken(const PipelineJoin& join, const JoinTable& table);
  //! Writes the search for the first entry; returns its number, or -1.
  std::string WriteHead(const PipelineJoin& join, const JoinTable& table);

  //! Writes how row `position` of the scanned table gets into `table`. A numbered table takes its
  //! entries' numbers from the argument `entries`, below the argument `capacity`; sets the variable
  //! `full` where there are no more. A ranged key widens the variables `least` and `greatest`; a
  //! table with bits has some of them in the variable `held`.
  void WriteInsert(const std::vector<plan::ExpressionPointer>& keys, const JoinTable& table,
                   const std::string& position);

  //! Names of the kernel's arguments.
  static std::string Heads(const JoinTable& table);
  static std::string Bits(const JoinTable& table);
  static std::string Counts(const JoinTable& table);
  static std::string Nexts(const JoinTable& table);
  static std::string Links(const JoinTable& table, size_t linked);
  //! Of a hash table, which has no more slots than its entries need: known when it is made.
  static std::string LastSlot(const JoinTable& table);

 private:
  //! Where the rows with some keys are.
  struct Slot {
    std::string code;
    std::string exists;  //!< a flag; empty: always
  };

  //! `expressions` are what the keys are computed by.
  Slot WriteSlot(const JoinTable& table, const std::vector<Value>& keys,
                 const std::vector<plan::ExpressionPointer>& expressions);
  //! An int that is 1 where a key of the probe side equals that of an entry, or both are NULL and
  //! NULL matches NULL.
  std::string EqualCode(ExpressionWriter& writer, const Value& probe, const Value& build,
                        bool holds_null);
  //! Where a row of the probe side is looked for: `exists` is an int that tells the bits too.
  Slot WriteProbeSlot(const PipelineJoin& join, const JoinTable& table,
                      const std::vector<Value>& keys);
  //! A key of the probe side as the build side would hold it.
  Value WriteProbeKey(const plan::JoinKey& key);
  std::vector<Value> WriteProbeKeys(const PipelineJoin& join);
  std::string HeadCode(const PipelineJoin& join, const JoinTable& table,
                       const std::vector<Value>& keys);
  void WriteLinks(const JoinTable& table, bool can_be_missing);
  //! Counts an entry that is looked at in the variable `steps`, where one key may have many.
  void WriteStep(const JoinTable& table);
  //! Sets the variable `is_match<t>`: the row of the build side at hand matches.
  void WriteMatch(const PipelineJoin& join, const JoinTable& table, const std::vector<Value>& keys);

  ExpressionWriter& writer_;
  KernelContext& context_;
  CodeBlock& block_;
};

}  // namespace margay::compile
