#pragma once

#include <optional>

#include "compile/kernel_generator.hpp"
#include "compile/packed_table.hpp"

namespace margay::compile {

//! The loop shape: one work-item per work-group walks whole segments, row by row, or, where there
//! are joins, some rows at a time through one join after the other.
//!
//! A small table of groups is filled in tiles instead, where the expressions allow it: a loop over
//! vectors of rows computes the group and what each row adds to the words of a PackedTable, a
//! second loop adds it up, and the packed table is emptied into the table proper before it can run
//! over. (Q1 on 2 cores: 0.6 of the time of the row loop. Compilers don't find these vectors
//! themselves, and the second loop waits for fewer additions to the same word.)
class LoopGenerator : public KernelGenerator {
 public:
  using KernelGenerator::KernelGenerator;

 protected:
  void WriteBody(CodeBlock& block) override;

 private:
  void WriteTable(CodeBlock& block);
  //! The loop over the rows of a segment.
  void WriteRows(CodeBlock& block);
  void WriteRow(CodeBlock& block);
  //! What happens to a row that passed the filters and joins.
  void WriteSink(ExpressionWriter& writer, CodeBlock& block);

  //! The loop over the rows of a segment with joins, and what it needs before the first segment.
  //! Some rows at a time go through the filters, then all that are left through the first join, and
  //! so on, as long as joins are lookups: their loops have no branches that wait for memory.
  void WriteStages(CodeBlock& declarations, CodeBlock& block);
  //! Whether the bits of the first join's table take the place of filters, of which there are none.
  bool TestsBits() const;
  //! The loop of a stage over the rows that are left; `tables` are those whose rows are known.
  void OpenStage(CodeBlock& block, const std::vector<size_t>& tables);
  //! Keeps a row for the next stage if `condition`, an int of 0 or 1, holds.
  void CloseStage(CodeBlock& block, const std::vector<size_t>& tables,
                  const std::string& condition);
  //! Sets `count`, the rows that are left, in a way that hides from the compiler what it may know
  //! about the number: Intel's gave the last loop a row too many where it did (2026.0, LEFT JOIN
  //! without filters).
  void WriteLeft(CodeBlock& block, const std::string& rows);
  //! Declares the variables of the row at `place`.
  void WriteStaged(CodeBlock& block, const std::vector<size_t>& tables);
  void WritePartials(CodeBlock& block);
  //! With a shared table of groups: rows of one group that follow each other are folded into
  //! variables. Starts a new run where the row's group differs from that of the row before.
  void WriteRun(CodeBlock& block);
  //! Folds the run's variables into the table.
  void WriteRunEnd(CodeBlock& block);

  //! The loop over the tiles of a segment and what it needs before the first segment; throws
  //! NotVectorizable.
  void WriteTiles(CodeBlock& declarations, CodeBlock& block);
  //! Computes a vector of rows into the tile.
  void WriteVector(CodeBlock& declarations, CodeBlock& block);
  //! Adds the rows of the tile to the packed table.
  void WriteTileFolds(CodeBlock& block);
  //! Empties the packed table into the table.
  void WriteFlush(CodeBlock& block);

  //! The name of a word of the row's group.
  std::string Word(size_t word) const;
  std::vector<std::string> PackedWords() const;
  bool IsTablePrivate() const;

  std::optional<PackedTable> packed_;
  //! Arguments that the tile keeps, because accumulators with words of their own fold them.
  std::vector<std::optional<Value>> kept_;
};

}  // namespace margay::compile
