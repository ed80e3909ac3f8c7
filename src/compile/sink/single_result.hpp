#pragma once

#include "compile/sink/aggregate.hpp"

namespace margay::compile {

//! An aggregate without groups, in the loop shape: a work-item has its accumulators in variables.
class LoopSingleResult : public AggregateSink {
 public:
  using AggregateSink::AggregateSink;

  bool FoldsInVectors() const override { return true; }
  void WriteBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteEnd(CodeBlock& block) override;
};

//! The same in the lanes shape: those of all lanes are reduced at the end.
class LanesSingleResult : public AggregateSink {
 public:
  using AggregateSink::AggregateSink;

  void WriteBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteEnd(CodeBlock& block) override;
};

}  // namespace margay::compile
