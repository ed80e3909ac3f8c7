#pragma once

#include <optional>

#include "compile/sink/aggregate.hpp"
#include "compile/sink/packed_table.hpp"

namespace margay::compile {

//! Few possible groups, in the loop shape: a work-item has a table of them, on its stack or where
//! its partial result belongs.
//!
//! A table on the stack is filled in tiles, where the expressions allow it: a loop over vectors of
//! rows computes the group and what each row adds to the words of a PackedTable, a second loop adds
//! it up, and the packed table is emptied into the table proper before it can run over. (Q1 on 2
//! cores: 0.6 of the time of the row loop. Compilers don't find these vectors themselves, and the
//! second loop waits for fewer additions to the same word.)
class LoopGroups : public AggregateSink {
 public:
  explicit LoopGroups(KernelGenerator& generator);

  void WriteBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteEnd(CodeBlock& block) override;

  bool IsTiled() const { return packed_.has_value(); }
  //! The loop over the tiles of a segment and what it needs before the first segment.
  void WriteTiles(CodeBlock& declarations, CodeBlock& block);

 private:
  bool IsTablePrivate() const;
  //! Whether all expressions have vector code.
  bool CanTile() const;
  //! Computes a vector of rows into the tile.
  void WriteVector(CodeBlock& declarations, CodeBlock& block);
  //! Adds the rows of the tile to the packed table.
  void WriteTileFolds(CodeBlock& block);
  //! Empties the packed table into the table.
  void WriteFlush(CodeBlock& block);
  //! Whether that is done after every tile, rather than after every segment.
  bool FlushesTiles() const;
  std::vector<std::string> PackedWords() const;

  std::optional<PackedTable> packed_;
  //! Arguments that the tile keeps, because accumulators with words of their own fold them.
  std::vector<std::optional<WrittenValue>> kept_;
};

}  // namespace margay::compile
