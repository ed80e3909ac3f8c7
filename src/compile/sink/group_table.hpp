#pragma once

#include "compile/sink/aggregate.hpp"
#include "compile/sink/group_table_writer.hpp"

namespace margay::compile {

//! What both shapes share of the one table of many groups that all work-groups fill.
class GroupTable : public AggregateSink {
 public:
  explicit GroupTable(KernelGenerator& generator);

  void AddArguments(ArgumentList& arguments) const override;
  std::vector<std::string> Sources() const override;
  void WriteDefinitions(CodeBlock& block) const override;
  void WriteFunctions(CodeBlock& block) override;
  void WriteBegin(CodeBlock& block) override;
  void WriteReport(CodeBlock& block) override;

 protected:
  GroupTableWriter writer_;
};

//! Rows of one group that follow each other are folded into variables first.
class LoopGroupTable : public GroupTable {
 public:
  using GroupTable::GroupTable;

  void WriteBegin(CodeBlock& block) override;
  void WriteUnitBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteEnd(CodeBlock& block) override;

 private:
  //! Starts a new run where the row's group differs from that of the row before.
  void WriteRun(CodeBlock& block);
  //! Folds the run's variables into the table.
  void WriteRunEnd(CodeBlock& block);
};

//! Each row is folded by itself; where there is one group, all rows of a lane together.
class LanesGroupTable : public GroupTable {
 public:
  using GroupTable::GroupTable;

  void WriteBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteEnd(CodeBlock& block) override;

 private:
  bool FoldsOnce() const { return layout_.keys.empty(); }
};

}  // namespace margay::compile
