#pragma once

#include "compile/join_writer.hpp"
#include "compile/sink/sink.hpp"

namespace margay::compile {

//! Rows go into a join table, in both shapes alike.
class JoinBuild : public Sink {
 public:
  explicit JoinBuild(KernelGenerator& generator);

  void AddArguments(ArgumentList& arguments) const override;
  std::vector<std::string> Sources() const override;
  void WriteFunctions(CodeBlock& block) override;
  void WriteBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteReport(CodeBlock& block) override;

 private:
  const JoinInsert& insert_;
  JoinTable table_;  //!< with the numbers of the kernel
};

}  // namespace margay::compile
