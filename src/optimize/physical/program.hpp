#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "optimize/physical/lowered_pipeline.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! A table that pipelines read: a scan of the plan, or what a sink leaves on the device. A table
//! that the plan scans twice is two. Or, with neither, the rows of a union, which are not stored:
//! the pipelines of its inputs take the steps of what would read it.
struct ProgramTable {
  std::string name;            //!< for people
  std::optional<size_t> scan;  //!< its number among plan::Scans() of the plan
  std::optional<size_t> sink;  //!< that fills it
  uint64_t rows = 0;           //!< or the most it can have

  bool IsStored() const { return scan || sink; }
};

//! What a sink is, for people and for those who walk the program.
enum class SinkKind : uint8_t {
  JoinBuild,         //!< a join table
  SingleResult,      //!< an aggregate without groups
  GroupTable,        //!< groups
  Rows,              //!< rows for the host
  OrderedRows,       //!< the same in an order, all or the first of them
  MaterialisedRows,  //!< rows that stay on the device
};

std::string_view SinkKindName(SinkKind kind);

//! Where rows end: one or several pipelines feed it, one after the other.
struct ProgramSink {
  SinkKind kind = SinkKind::Rows;
  std::vector<size_t> pipelines;
  //! Of a result that stays on the device, for other pipelines to read: its columns. Else empty.
  std::vector<MaterialisedColumn> columns;
};

//! One pass over a table: source, filters, joins with what other pipelines have built, and a sink.
struct ProgramPipeline {
  size_t sink = 0;
  std::shared_ptr<const LoweredPipeline> lowered;
  //! Rows of stored tables that are not scanned, by estimates: few of them are looked up instead.
  uint64_t spared_rows = 0;
  uint64_t estimated_rows = 0;  //!< that get to the sink
  uint64_t bytes = 0;           //!< of the columns of its table that it reads
};

//! A plan as it runs on a device: a graph of pipelines, each behind those whose sinks it reads.
//! Immutable once made.
struct Program {
  std::vector<ProgramTable> tables;
  std::vector<InputColumn> columns;  //!< of all tables
  std::vector<ProgramPipeline> pipelines;
  std::vector<ProgramSink> sinks;
  size_t result = 0;  //!< the sink whose content is the answer

  //! How many pipelines read each sink, by joins with it or by scanning it; the result has one
  //! reader more.
  std::vector<size_t> Readers() const;
  //! The tables, and the sinks, that a pipeline reads.
  std::vector<size_t> SinksReadBy(size_t pipeline) const;
};

}  // namespace margay::optimize
