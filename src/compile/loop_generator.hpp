#pragma once

#include "compile/kernel_generator.hpp"

namespace margay::compile {

//! The loop shape: one work-item per work-group walks whole segments, row by row, or, where there
//! are joins, some rows at a time through one join after the other.
class LoopGenerator : public KernelGenerator {
 public:
  using KernelGenerator::KernelGenerator;

 protected:
  std::unique_ptr<Sink> MakeSink() override;
  void WriteBody(CodeBlock& block) override;
  uint32_t MostSteps() const override;

 private:
  //! The loop over the rows of a segment.
  void WriteRows(CodeBlock& block);

  //! The loop over the rows of a segment with joins, and what it needs before the first segment.
  //! Some rows at a time go through the filters, then all that are left through the first join, and
  //! so on, as long as joins are lookups: their loops have no branches that wait for memory.
  void WriteStages(CodeBlock& declarations, CodeBlock& block);
  //! The stage that notes which rows pass the filters.
  void WriteFilterStage(CodeBlock& block);
  //! Whether the bits of the first join's table take the place of filters, of which there are none.
  bool TestsBits() const;
  //! The stage of a join that is a lookup; adds the tables whose rows are known behind it.
  void WriteLookupStage(size_t number, std::vector<size_t>& tables, CodeBlock& declarations,
                        CodeBlock& block);
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
};

}  // namespace margay::compile
