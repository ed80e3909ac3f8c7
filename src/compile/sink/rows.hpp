#pragma once

#include "compile/sink/sink.hpp"
#include "optimize/physical/lowered_pipeline.hpp"

namespace margay::compile {

//! What the sinks share that give rows: to the host, in an order or not, or to a table that stays
//! on the device. Every unit of work has its own region in the output buffers.
class RowsSink : public Sink {
 public:
  explicit RowsSink(KernelGenerator& generator);

  void AddArguments(ArgumentList& arguments) const override;
  bool HasBound() const override { return rows_.HasBound(); }

 protected:
  //! Writes the outputs of a row to `position` of the unit's region.
  void WriteOutputs(ExpressionWriter& writer, CodeBlock& block, const std::string& position);

  const optimize::RowSink& rows_;
};

//! Rows in the order of the scanned table, in the loop shape.
class LoopRows : public RowsSink {
 public:
  using RowsSink::RowsSink;

  // Rows keep the table's order, in batches that are the same in all runs.
  bool CanStop() const override { return false; }
  void WriteUnitBegin(CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
  void WriteUnitEnd(CodeBlock& block) override;
};

//! The same in the lanes shape: lanes count the rows before them.
class LanesRows : public RowsSink {
 public:
  using RowsSink::RowsSink;

  // Lanes wait for each other.
  bool CanStop() const override { return false; }
  void WriteBegin(CodeBlock& block) override;
  void WriteTile(LanesGenerator& generator, CodeBlock& block) override;
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;
};

//! Rows in no order, of which joins may make several of one: a unit of work gives as many as its
//! region holds, and goes on in the next launch. The variables `produced`, `given` and `has_room`
//! tell how many rows the unit, and the row at hand, have given, and whether there is room for
//! more.
class MultipliedRows : public RowsSink {
 public:
  using RowsSink::RowsSink;

  bool GivesManyRows() const override { return true; }
  void WriteRow(ExpressionWriter& writer, CodeBlock& block) override;

 protected:
  //! An expression that takes the next place of the unit's region.
  virtual std::string Claim() const = 0;
};

class LoopMultipliedRows : public MultipliedRows {
 public:
  using MultipliedRows::MultipliedRows;

  void WriteUnitBegin(CodeBlock& block) override;
  void WriteUnitEnd(CodeBlock& block) override;

 protected:
  std::string Claim() const override { return "produced++"; }
};

class LanesMultipliedRows : public MultipliedRows {
 public:
  using MultipliedRows::MultipliedRows;

  void WriteBegin(CodeBlock& block) override;
  void WriteTile(LanesGenerator& generator, CodeBlock& block) override;

 protected:
  std::string Claim() const override { return "atomic_inc(&produced)"; }
};

}  // namespace margay::compile
