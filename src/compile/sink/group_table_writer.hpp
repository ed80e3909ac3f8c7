#pragma once

#include <set>
#include <string>
#include <vector>

#include "compile/argument_list.hpp"
#include "compile/expression_writer.hpp"
#include "compile/sink/fold_code.hpp"
#include "optimize/physical/lowered_pipeline.hpp"

namespace margay::compile {

//! Writes what generated source holds for a shared table of groups:
//!
//!     group_table   slots x words        long: rows of accumulators
//!     group_codes   slots x CODE_WORDS   ulong, if hashed: the words of the index of the slot's
//!                                        group, each + 1, 0 for none
//!
//! Where a minimum or maximum of 128 bits needs two passes over all rows, the argument `is_second`
//! tells which: the second one folds the low words of these alone.
class GroupTableWriter {
 public:
  //! The sink of `pipeline` is a shared table. Both outlive the writer.
  GroupTableWriter(const optimize::LoweredPipeline& pipeline, KernelContext& context);

  const optimize::GroupPacking& Packing() const { return *sink_.packing; }

  //! Adds the arguments that a kernel takes to fold into the table.
  void AddArguments(ArgumentList& arguments) const;
  //! Declares the accumulators `a<word>` of one group, and its rows `group_row<table>`.
  void WriteDeclarations(CodeBlock& block) const;
  //! Sets the accumulators to what they hold before the first value.
  void WriteReset(CodeBlock& block) const;
  //! Sets the group's rows to those of the row at hand.
  void WriteRows(CodeBlock& block) const;
  //! Declares `run_group`, the index of a group, as that of none.
  void WriteRunDeclaration(CodeBlock& block) const;
  //! A flag: the index `group` differs from `run_group`.
  std::string DiffersFromRun() const;
  //! Sets `run_group` to `group`.
  void WriteRunStart(CodeBlock& block) const;
  //! Folds the accumulators into the row of the group of index `group`. Counts in `added` if it is
  //! new; sets `full` where there is no room for it.
  void WriteFold(CodeBlock& block, const std::string& group) const;
  //! The same for a group of which these are all rows.
  void WriteStore(CodeBlock& block, const std::string& group) const;

  //! The functions that WriteFold and WriteStore call.
  std::string FoldFunctions() const;
  //! Adds the arguments of the two kernels below. Throws Unsupported where there are too many.
  void AddClearArguments(ArgumentList& arguments) const;
  void AddPackingArguments(ArgumentList& arguments) const;
  //! The kernel that makes a table empty: accumulators hold what they do before the first value,
  //! and slots no group.
  std::string ClearKernel(const ArgumentList& arguments) const;
  //! The kernel that packs the groups: see optimize::GroupPacking. Adds the forms of calendars that
  //! it uses.
  std::string PackKernel(const ArgumentList& arguments, std::set<CalendarForm>& calendars) const;

 private:
  template <typename Visit>
  void VisitInitialWords(const Visit& visit) const;
  //! Opens the loop over the groups that are wanted, with `slot`, `words` and the place of each as
  //! `position`; returns how many scopes are open then.
  size_t OpenGroups(CodeBlock& block, KernelContext& context) const;
  //! The words of accumulator `accumulator`, folded by `code` where they are not the initial ones.
  template <typename Code>
  void WriteCombine(CodeBlock& block, const Accumulator& accumulator, const Code& code) const;
  //! What a second pass does, and that is all.
  void WriteSecondPass(CodeBlock& block) const;
  //! A call of `function`, which returns a pointer to the group's words, or null where there is
  //! nothing more to do with them.
  std::string Call(const std::string& function, const std::string& group) const;
  //! Opens a function that Call calls, up to the group's `words`.
  void OpenFunction(CodeBlock& block, const std::string& function) const;
  //! The words of the index of the group in `slot`.
  std::vector<std::string> IndexCode() const;
  //! Words of a group's index.
  size_t IndexWords() const { return layout_.index_places.size(); }
  std::string GroupRow(size_t table) const;

  const optimize::GroupSink& sink_;
  const optimize::AggregateLayout& layout_;
  const optimize::Shape shape_;
  KernelContext& context_;
};

}  // namespace margay::compile
