#pragma once

#include <string>
#include <vector>

#include "compile/expression_writer.hpp"
#include "optimize/physical/lowered_pipeline.hpp"

namespace margay::compile {

using optimize::JoinInsert;
using optimize::JoinProbe;
using optimize::JoinTable;

//! A join of a pipeline. Its table has the numbers of the kernel.
using PipelineJoin = optimize::LoweredPipeline::Join;

//! Writes how rows get into join tables and how their matches are found. A row of table `t` is the
//! variable `row<t>`, -1 where a left join found none.
class JoinWriter {
 public:
  explicit JoinWriter(ExpressionWriter& writer) : writer_(writer), block_(writer.Block()) {}

  //! Writes the search for the matches of the row at hand. What follows runs once for every row
  //! that the join gives; returns how many scopes it must close at its end. `head`: what WriteHead
  //! gave for the row, if that was written before.
  size_t WriteProbe(const PipelineJoin& join, const std::string& head = "");
  //! A statement that ends that search with the match at hand, where the join is no lookup.
  static std::string EndCode(const JoinTable& table);

  //! Writes a join that is a lookup without a branch; returns an int that is 1 if it gives a row.
  std::string WriteLookup(const PipelineJoin& join);
  //! Writes the lookup of a row whose slot is known to have an entry.
  void WriteKnownLookup(const PipelineJoin& join);
  //! Writes whether the slot of the row at hand has an entry, by the bits of the table; returns an
  //! int of 0 or 1.
  std::string WriteTaken(const PipelineJoin& join);
  //! Writes the search for the first entry; returns its number, or -1.
  std::string WriteHead(const PipelineJoin& join);

  //! Writes how row `position` of the scanned table gets into `table`. A numbered table takes its
  //! entries' numbers from the argument `entries`, below the argument `capacity`; sets the variable
  //! `full` where there are no more. A ranged key widens the variables `least` and `greatest`; a
  //! table with bits has some of them in the variable `held`.
  void WriteInsert(const JoinInsert& insert, const JoinTable& table, const std::string& position);

  //! Adds the arguments of a table that is read, or with `is_filled` written.
  static void AddArguments(const JoinTable& table, bool is_filled, ArgumentList& arguments);

 private:
  //! Where the rows with some keys are.
  struct Slot {
    std::string code;
    std::string exists;  //!< a flag; empty: always
  };

  Slot WriteSlot(const optimize::JoinSlot& slot, const JoinTable& table);
  //! Where a row of the probe side is looked for: `exists` is an int that tells the bits too.
  Slot WriteProbeSlot(const PipelineJoin& join);
  std::string HeadCode(const PipelineJoin& join);
  void WriteLinks(const JoinTable& table, bool can_be_missing);
  //! Counts an entry that is looked at in the variable `steps`, where one key may have many.
  void WriteStep(const JoinTable& table);
  //! Sets the variable `is_match<t>`: the row of the build side at hand matches.
  void WriteMatch(const PipelineJoin& join);

  ExpressionWriter& writer_;
  CodeBlock& block_;
};

}  // namespace margay::compile
