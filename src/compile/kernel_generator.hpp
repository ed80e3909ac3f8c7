#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/join_writer.hpp"
#include "compile/kernel_context.hpp"
#include "compile/kernel_source.hpp"
#include "compile/sink/sink.hpp"

namespace margay::compile {

using optimize::LoweredPipeline;

//! What both shapes share: arguments, the way from a unit of work to its columns, filters and
//! joins. What becomes of the rows that are left is the Sink's.
class KernelGenerator {
 public:
  //! `pipeline` outlives the generator.
  explicit KernelGenerator(const LoweredPipeline& pipeline);
  virtual ~KernelGenerator() = default;
  KernelGenerator(const KernelGenerator&) = delete;
  KernelGenerator& operator=(const KernelGenerator&) = delete;

  //! Throws Unsupported or TooManyArguments where there is no such kernel.
  void Check();
  KernelSource Generate();

  // For sinks.

  const LoweredPipeline& Pipeline() const { return pipeline_; }
  KernelContext& Context() { return context_; }
  //! What is known of the kernel so far; a sink sets what its launches need.
  KernelSource& Source() { return source_; }
  //! The joins, with the numbers of the kernel.
  const std::vector<PipelineJoin>& Joins() const { return joins_; }
  //! The columns that are read, with the numbers of the kernel: those of the scan, then others.
  const std::vector<InputColumn>& ReadColumns() const { return read_columns_; }

  //! Writes the filters before the first join; returns a flag that is set where the row passes ("1"
  //! without filters). A bound of the order is one more, if no join is needed to know the words.
  std::string WriteFilters(ExpressionWriter& writer);
  //! Writes what decides about a row behind the last join; as WriteFilters.
  std::string WriteLastFilter(ExpressionWriter& writer);
  //! Writes the joins from the `first` on, with the filters behind them: what follows runs once for
  //! every row that comes out, until CloseJoins. `head` is what JoinWriter::WriteHead gave for the
  //! first of them, if anything.
  void OpenJoins(ExpressionWriter& writer, CodeBlock& block, size_t first = 0,
                 const std::string& head = "");
  void CloseJoins(CodeBlock& block);

 protected:
  //! The shape's classes of sinks.
  virtual std::unique_ptr<Sink> MakeSink() = 0;
  //! Writes everything between the declarations of parameters and the report of faults.
  virtual void WriteBody(CodeBlock& block) = 0;
  //! Entries of join tables that a work-item looks at before it lets go.
  virtual uint32_t MostSteps() const = 0;

  //! Declares what is fixed for a segment: rows, bases and pointers `c<n>`, `n<n>` to its columns.
  //! `segment` points to its row of the work list.
  void WriteSegment(CodeBlock& block);
  //! Whether a bound is the last of the filters before the first join.
  bool FiltersByBound() const;
  //! `text`, a loop's condition, or the same while there are steps, and room for rows, left.
  std::string WhileSteps(const std::string& text) const;
  //! Where the last launch stopped, and where this one does; `next` is a pointer to the words of
  //! the unit. Nothing where the kernel does not stop.
  void WriteResume(CodeBlock& block, const std::string& next, const std::string& place);
  void WriteStop(CodeBlock& block, const std::string& place, const std::string& is_unfinished);
  //! Writes predicates; returns a flag that is set where all are true ("1" without any).
  static std::string WriteConjunction(ExpressionWriter& writer,
                                      const std::vector<optimize::Value>& conjuncts);
  //! Begins and ends the code for a row, or a few, of the scanned table, where a row may give many
  //! rows; the end leaves the loop around it where rows are left for the next launch.
  void OpenGiving(CodeBlock& block) const;
  void CloseGiving(CodeBlock& block) const;

  const LoweredPipeline& pipeline_;
  std::unique_ptr<Sink> sink_;

 private:
  //! Chooses the searches of the filters' patterns that are made for whole segments.
  void ChooseSearches(const optimize::Node* node);
  //! Makes the sink, and adds all arguments.
  void Begin();
  void AddArguments();
  void WriteHeader(CodeBlock& block);

  KernelContext context_;
  std::vector<PipelineJoin> joins_;
  std::vector<InputColumn> read_columns_;
  KernelSource source_;
  size_t open_scopes_ = 0;  //!< of joins
};

}  // namespace margay::compile
