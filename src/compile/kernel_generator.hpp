#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/generated_kernel.hpp"
#include "compile/group_table_writer.hpp"
#include "compile/pipeline.hpp"

namespace margay::compile {

//! What both shapes share: arguments, the way from a unit of work to its columns, filters, and the
//! folding of a row into accumulators or into the result's rows.
class KernelGenerator {
 public:
  //! What the pipelines of a program share. All outlive the generator.
  struct Input {
    Shape shape;
    const Program& program;
    const std::vector<InputColumn>& columns;  //!< of all tables, by number
    const std::vector<uint64_t>& rows;        //!< of the tables
    DictionaryCache& dictionaries;
    const std::vector<JoinTable>& join_tables;      //!< of the builds that come before
    ResultUse use = ResultUse::Rows;                //!< of the result's pipeline
    plan::ExpressionPointer wanted = {};            //!< groups of a kept result; null: all
    const std::vector<KeptColumn>* kept = nullptr;  //!< of kept rows; null: what suits them
  };

  //! For the result's pipeline, or for that of a build side and the join table that it fills.
  explicit KernelGenerator(const Input& input);
  KernelGenerator(const Input& input, const JoinTable& build);
  virtual ~KernelGenerator() = default;

  GeneratedKernel Generate();

 protected:
  //! Writes everything between the declarations of parameters and the report of faults.
  virtual void WriteBody(CodeBlock& block) = 0;

  //! Declares what is fixed for a segment: rows, bases and pointers `c<n>`, `n<n>` to its columns.
  //! `segment` points to its row of the work list.
  void WriteSegment(CodeBlock& block);
  //! Writes predicates; returns an int that is 1 where all are true ("1" without any).
  static std::string WriteConjunction(ExpressionWriter& writer,
                                      const std::vector<plan::ExpressionPointer>& conjuncts);
  //! Writes the filters before the first join; returns an int that is 1 where the row passes ("1"
  //! without filters). A bound of the order is one more, if no join is needed to know the words.
  std::string WriteFilters(ExpressionWriter& writer);
  //! Writes what decides about a row behind the last join; as WriteFilters.
  std::string WriteLastFilter(ExpressionWriter& writer);
  //! Whether a bound is the last of the filters before the first join.
  bool FiltersByBound() const { return kernel_.HasBound() && order_is_of_scan_; }
  //! Writes the joins from the `first` on, with the filters behind them: what follows runs once for
  //! every row that comes out, until CloseJoins. `head` is what JoinWriter::WriteHead gave for the
  //! first of them, if anything.
  void OpenJoins(ExpressionWriter& writer, CodeBlock& block, size_t first = 0,
                 const std::string& head = "");
  void CloseJoins(CodeBlock& block);
  //! Whether joins can make several rows of one.
  bool MultipliesRows() const;
  //! Whether a row may become so many, or look at so many, that the kernel must be able to stop in
  //! the middle of a unit of work.
  bool NeedsStops() const;
  //! Whether a row may have any number of entries of a join table to look at: the variable `steps`
  //! counts them.
  bool HasChains() const;
  //! Makes the kernel stop after `most_steps` steps of a work-item, to be launched again: the host
  //! gets its turn in between. For sinks that can go on where they stopped.
  void MakeResumable(uint32_t most_steps);
  //! `text`, a loop's condition, or the same while there are steps, and room for rows, left.
  std::string WhileSteps(const std::string& text) const;
  //! Writes how the row gets into the join table that is filled.
  void WriteInsert(ExpressionWriter& writer, CodeBlock& block);
  //! Writes the index of a row's group: see GroupIndexWriter.
  void WriteGroup(ExpressionWriter& writer, CodeBlock& block);
  //! Writes the folding of values (one per argument) into the table; `word` names a word of the
  //! row's group.
  template <typename Word>
  void WriteFolds(CodeBlock& block, const std::vector<Value>& values, const Word& word);
  //! Writes the folding of the string of word `from` (see TextExtreme) into the variable `into`.
  void WriteTextFold(CodeBlock& block, const Accumulator& accumulator, const std::string& into,
                     const std::string& from);
  //! Writes the values of the arguments for a row.
  std::vector<Value> WriteArguments(ExpressionWriter& writer);
  //! Writes the outputs of a row to `position` of the unit's region.
  void WriteOutputs(ExpressionWriter& writer, CodeBlock& block, const std::string& position);
  //! Writes how one of several rows that joins made of one gets into the result. `claim` is an
  //! expression that takes the next place of the unit's region. To be put between OpenGiving and
  //! CloseGiving, inside of the joins.
  void WriteGive(ExpressionWriter& writer, CodeBlock& block, const std::string& claim);
  //! Begins and ends the code for a row, or a few, of the scanned table; the end leaves the loop
  //! around it where rows are left for the next launch.
  static void OpenGiving(CodeBlock& block);
  static void CloseGiving(CodeBlock& block);

  static std::string ColumnPointer(const InputColumn& column);

  const Input& input_;
  const Pipeline& pipeline_;
  KernelContext context_;
  GeneratedKernel kernel_;
  std::optional<GroupTableWriter> group_table_;  //!< where the groups have a shared table

 private:
  KernelGenerator(const Input& input, const Pipeline& pipeline);

  //! What becomes of rows that stay on the device.
  void KeepRows();
  //! Those of the scanned table, then those of joined ones.
  std::vector<InputColumn> ReadColumns() const;
  //! Whether a row of an ordered result may raise an error.
  bool OrderCanFault() const;
  void WriteArgumentsList(CodeBlock& block);
  static void AddJoinArguments(const JoinTable& table, bool is_filled,
                               std::vector<std::string>& arguments);

  bool order_is_of_scan_ = false;  //!< the words need columns of the scanned table alone
  size_t open_scopes_ = 0;         //!< of joins
  uint32_t most_steps_ = 0;        //!< of a work-item, if resumable
};

template <typename Word>
void KernelGenerator::WriteFolds(CodeBlock& block, const std::vector<Value>& values,
                                 const Word& word) {
  for (const Accumulator& accumulator : kernel_.aggregate.accumulators) {
    std::vector<std::string> words;
    for (size_t i = 0; i < accumulator.Words(); i++)
      words.push_back(word(accumulator.word + i));
    const Value value = accumulator.has_argument ? values[accumulator.argument] : Value{};
    const bool is_conditional = accumulator.has_argument && value.CanBeNull();
    if (is_conditional)
      block.Open("if (!" + value.null + ") {");
    if (IsText(accumulator.fold)) {
      WriteTextFold(block, accumulator, words[0], value.code);
    } else {
      for (const std::string& line : FoldCode(accumulator, words, value))
        block.Line(line);
    }
    if (is_conditional)
      block.Close();
  }
}

}  // namespace margay::compile
