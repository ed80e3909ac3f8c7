#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/aggregate_layout.hpp"
#include "compile/group_filter.hpp"
#include "compile/kept_column.hpp"
#include "compile/row_output.hpp"
#include "compile/shape.hpp"

namespace margay::compile {

//! The kernel `collect` of a shared table of groups: packs the groups that have rows and are
//! wanted, as finished columns of the result. Its arguments, in order:
//!   parameters, lookups     see Parameters
//!   group_table, slots      see GroupTableWriter
//!   group_codes             if hashed
//!   faults                  int: becomes 1 where a value left its type's range
//!   count                   uint: becomes the number of groups that are wanted
//!   capacity                uint: groups beyond are counted, but not packed
//!   column, validity        per column read, those of the tables that dependent keys come from
//!   values, nulls           per output: see OutputArguments
struct CollectKernel {
  std::vector<InputColumn> columns;
  std::vector<InputColumn> string_columns;
  Parameters parameters;
  std::vector<RowOutput> outputs;  //!< the group keys, then the aggregates
  bool is_filter = false;          //!< may leave out groups that have rows
};

//! Writes what generated source holds for a shared table of groups:
//!   group_table   slots x words   long: rows of accumulators
//!   group_codes   slots x CODE_WORDS   ulong, if hashed: the words of the index of the slot's
//!   group,
//!                                      each + 1, 0 for none
//! Where a minimum or maximum of 128 bits needs two passes over all rows, the argument `is_second`
//! tells which: the second one folds the low words of these alone.
class GroupTableWriter {
 public:
  //! Slots that a work-group of these kernels takes at a time.
  static constexpr uint64_t kSlotsPerUnit = 4096;
  static constexpr const char* kPrepareKernel = "prepare";
  static constexpr const char* kCollectKernel = "collect";

  //! All outlive the writer. `context` is the kernel's, of which a copy is taken.
  GroupTableWriter(const Pipeline& pipeline, const AggregateLayout& layout, KernelContext context);

  //! The arguments that a kernel takes to fold into the table.
  std::vector<std::string> Arguments() const;
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
  //! new; sets `full` where there is no room for it. `context` is the kernel's.
  void WriteFold(KernelContext& context, CodeBlock& block, const std::string& group) const;
  //! The same for a group of which these are all rows.
  void WriteStore(CodeBlock& block, const std::string& group) const;

  //! The functions that WriteFold and WriteStore call.
  std::string FoldFunctions(Shape shape) const;
  //! The kernel that makes a table empty: accumulators hold what they do before the first value,
  //! and slots no group.
  std::string PrepareSource() const;
  //! The kernel `collect`. Adds to `context`, of the kernel beside it, which functions its
  //! expressions use. Where the result stays on the device, `kept` gets its columns, else it is
  //! null. Groups for which `wanted`, a predicate over the outputs or null, is not true may be left
  //! out.
  std::string CollectSource(Shape shape, CollectKernel& collect, KernelContext& context,
                            std::vector<KeptColumn>* kept,
                            const plan::ExpressionPointer& wanted) const;

 private:
  template <typename Visit>
  void VisitInitialWords(const Visit& visit) const;
  //! Opens the loop over the groups that `filter` leaves, with `slot`, `words` and the place of
  //! each as `position`; returns how many scopes are open then.
  size_t OpenGroups(CodeBlock& block, Shape shape, const GroupFilter& filter,
                    KernelContext& context) const;
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

  const Pipeline& pipeline_;
  const AggregateLayout& layout_;
  const KernelContext context_;
};

}  // namespace margay::compile
