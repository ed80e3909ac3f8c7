#pragma once

#include "compile/kernel_generator.hpp"

namespace margay::compile {

//! The loop shape: one work-item per work-group walks whole segments. Simple loops over consecutive
//! rows, which CPU compilers turn into vector code.
class LoopGenerator : public KernelGenerator {
 public:
  using KernelGenerator::KernelGenerator;

 protected:
  void WriteBody(CodeBlock& block) override;
  Shape GetShape() const override { return Shape::Loop; }

 private:
  void WriteTable(CodeBlock& block);
  void WriteRow(CodeBlock& block);
  void WritePartials(CodeBlock& block);
  //! The name of a word of the row's group.
  std::string Word(size_t word) const;
  bool IsTablePrivate() const;
};

}  // namespace margay::compile
