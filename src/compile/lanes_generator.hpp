#pragma once

#include <optional>

#include "compile/kernel_generator.hpp"
#include "compile/packed_table.hpp"

namespace margay::compile {

//! The lanes shape: a work-group strides through a tile of a segment together, so that neighbouring
//! lanes read neighbouring rows. Made for the profile every device must offer: 48 KiB of local
//! memory, 1,024 bytes of arguments, 256 work-items. No work-item ever waits for another
//! work-group.
//!
//! Aggregates are held in one of five ways:
//!   Private  one group: each lane has its accumulators in registers; reduced at the end
//!   Local    few groups: each lane has a packed table in local memory; reduced at the end
//!   Owned    many groups: the work-group has one table in global memory, and lane l owns the
//!   groups
//!            whose number is l modulo LANES; rows are staged in local memory and folded by owners
//!   Shared   many groups: all work-groups update a few tables in global memory by atomic
//!   operations
//!   Global   any number of groups: one table for all launches, see GroupTableWriter
class LanesGenerator : public KernelGenerator {
 public:
  using KernelGenerator::KernelGenerator;

 protected:
  void WriteBody(CodeBlock& block) override;

 private:
  enum class Table { Private, Local, Owned, Shared, Global };

  void ChooseTable();
  //! Whether a lane folds all its rows in variables before it folds these into the shared table.
  bool FoldsOnce() const { return group_table_ && kernel_.aggregate.keys.empty(); }
  void WriteInitialTable(CodeBlock& block);
  void WriteTile(CodeBlock& block);
  void WriteQuads(CodeBlock& block);
  //! What happens to a row of four that passed the filters and joins.
  void WriteQuadSink(ExpressionWriter& writer, CodeBlock& block);
  void WriteAtomicFolds(CodeBlock& block, const std::vector<Value>& values);
  void WriteOwnedTile(CodeBlock& block);
  void WriteRowsTile(CodeBlock& block);
  void WriteMultipliedTile(CodeBlock& block);
  void WriteReduction(CodeBlock& block);
  void WritePrivateReduction(CodeBlock& block);
  void WriteLocalReduction(CodeBlock& block);
  //! The words of one round of a reduction.
  struct ReducedWords {
    std::vector<std::string> own;     //!< variables of a lane
    std::vector<std::string> shared;  //!< the lane's place in local memory, the bracket left open
    std::vector<size_t> table;        //!< numbers in the group's row
    std::vector<int64_t> initial;
  };

  //! The accumulators, cut into rounds of at most `most_words` words.
  std::vector<std::vector<size_t>> ReductionRounds(size_t most_words) const;
  ReducedWords WordsInRound(const std::vector<size_t>& round) const;
  //! Folds the words `from` of a round's accumulators into `into`.
  void WriteCombine(CodeBlock& block, const std::vector<size_t>& round,
                    const std::vector<std::string>& into, const std::vector<std::string>& from);
  //! Loads four rows of the columns that are in `numbers` and not loaded yet.
  void WriteLoads(CodeBlock& block, const std::set<size_t>& numbers, std::set<size_t>& loaded);
  //! Local bytes of one staged row of an Owned table.
  size_t StagedBytes() const;

  //! The words of group `group` in the local table of lane `lane`.
  std::vector<std::string> LocalWords(const std::string& lane) const;

  Table table_ = Table::Private;
  std::optional<PackedTable> packed_;  //!< Local
};

}  // namespace margay::compile
