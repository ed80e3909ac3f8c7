#pragma once

#include <string>
#include <vector>

#include "compile/argument_list.hpp"
#include "compile/expression_writer.hpp"

namespace margay::compile {

class KernelGenerator;
class LanesGenerator;

//! What becomes of the rows that the filters and joins of a pipeline leave: the arguments and the
//! code of it, in one of the two shapes. There is a class for each; MakeSink chooses.
//!
//! A kernel's code, and what a sink adds to it:
//!
//!     sources                                              Sources()
//!     definitions, functions                               WriteDefinitions(), WriteFunctions()
//!     __kernel void run_pipeline(arguments) {              AddArguments()
//!       declarations                                       WriteBegin()
//!       for (units) {
//!         ...                                              WriteUnitBegin()
//!         for (rows that pass) ...                         WriteRow()
//!         ...                                              WriteUnitEnd()
//!       }
//!       ...                                                WriteEnd()
//!       report of faults                                   WriteReport()
//!     }
class Sink {
 public:
  //! `generator` outlives the sink.
  explicit Sink(KernelGenerator& generator) : generator_(generator) {}
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  virtual void AddArguments(ArgumentList& arguments) const = 0;
  //! Files of kernels/ whose functions the sink uses, beside those of expressions.
  virtual std::vector<std::string> Sources() const { return {}; }
  virtual void WriteDefinitions(CodeBlock& /*block*/) const {}
  //! Functions and further kernels. Called when all of the kernel's body is written.
  virtual void WriteFunctions(CodeBlock& /*block*/) {}
  //! Variables of a work-item, before its first unit of work.
  virtual void WriteBegin(CodeBlock& /*block*/) {}
  virtual void WriteUnitBegin(CodeBlock& /*block*/) {}
  //! A row that has passed all filters and joins.
  virtual void WriteRow(ExpressionWriter& writer, CodeBlock& block) = 0;
  virtual void WriteUnitEnd(CodeBlock& /*block*/) {}
  //! After the last unit of work.
  virtual void WriteEnd(CodeBlock& /*block*/) {}
  virtual void WriteReport(CodeBlock& /*block*/) {}
  //! How the lanes shape walks the rows of a tile: mostly each lane takes four neighbouring rows at
  //! once, and needs no other.
  virtual void WriteTile(LanesGenerator& generator, CodeBlock& block);

  //! The kernel may stop in the middle of a unit, and go on there in its next launch.
  virtual bool CanStop() const { return true; }
  //! Rows may be left out before they are computed: see WriteBoundTest.
  virtual bool HasBound() const { return false; }
  //! A row gives several rows of the result, of which a launch may have given some already.
  virtual bool GivesManyRows() const { return false; }
  //! Compilers make vectors of what the loop shape does for each row, so that a branch for each row
  //! that does not pass costs little.
  virtual bool FoldsInVectors() const { return false; }

 protected:
  KernelGenerator& generator_;
};

}  // namespace margay::compile
