#pragma once

#include <memory>

#include "compile/sink/aggregate.hpp"
#include "compile/sink/packed_table.hpp"

namespace margay::compile {

//! Few possible groups, in the lanes shape: each lane has a packed table in local memory, and those
//! of all lanes are reduced at the end.
class LanesLocalGroups : public AggregateSink {
 public:
  //! `lanes` is how many have room for their tables.
  LanesLocalGroups(KernelGenerator& generator, PackedTable packed, uint32_t lanes);

  void WriteBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteEnd(CodeBlock& block) override;

 private:
  //! The words of group `group` in the local table of lane `lane`.
  std::vector<std::string> LocalWords(const std::string& lane) const;

  const PackedTable packed_;
};

//! More of them: all work-groups update a few tables in global memory by atomic operations.
class LanesPartialGroups : public AggregateSink {
 public:
  explicit LanesPartialGroups(KernelGenerator& generator);

  void AddArguments(ArgumentList& arguments) const override;
  std::vector<std::string> Sources() const override { return {"atomic.cl"}; }
  void WriteBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
};

//! The same where accumulators can't be updated by one atomic operation: a work-group has one table
//! in global memory, and lane l owns the groups whose number is l modulo LANES; rows are staged in
//! local memory and folded by owners.
class LanesOwnedGroups : public AggregateSink {
 public:
  //! Throws Unsupported where a row's arguments take too much local memory.
  explicit LanesOwnedGroups(KernelGenerator& generator);

  // Lanes wait for each other.
  bool CanStop() const override { return false; }
  void WriteBegin(CodeBlock& block) override;
  void WriteTile(LanesGenerator& generator, CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;

 private:
  //! Local bytes of one staged row.
  size_t StagedBytes() const;
  void WriteStagedFolds(CodeBlock& block);
};

//! The one of these that suits the groups of a pipeline.
std::unique_ptr<AggregateSink> MakeLanesGroups(KernelGenerator& generator);

}  // namespace margay::compile
