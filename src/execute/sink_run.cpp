#include "execute/sink_run.hpp"

#include "execute/aggregate_run.hpp"
#include "execute/group_table_run.hpp"
#include "execute/join_build_run.hpp"
#include "execute/materialised_rows_run.hpp"
#include "execute/ordered_run.hpp"
#include "execute/rows_run.hpp"

namespace margay::execute {

std::unique_ptr<SinkRun> SinkRun::Make(RunContext& context, size_t number) {
  const optimize::ProgramSink& sink = context.Program().sinks[number];
  switch (sink.kind) {
    case optimize::SinkKind::JoinBuild:
      return std::make_unique<JoinBuildRun>(context, number);
    case optimize::SinkKind::SingleResult:
    case optimize::SinkKind::GroupTable: {
      const auto& lowered = *context.Program().pipelines[sink.pipelines[0]].lowered;
      if (std::get<optimize::GroupSink>(lowered.sink).layout.shared)
        return std::make_unique<GroupTableRun>(context, number);
      return std::make_unique<AggregateRun>(context, number);
    }
    case optimize::SinkKind::Rows:
      return std::make_unique<RowsRun>(context, number);
    case optimize::SinkKind::OrderedRows:
      return std::make_unique<OrderedRun>(context, number);
    case optimize::SinkKind::MaterialisedRows:
      return std::make_unique<MaterialisedRowsRun>(context, number);
  }
  throw std::logic_error("SinkRun: unknown kind of sink");
}

void GrowingSinkRun::RunAgain(PipelineRun& pipeline) {
  const RunStatistics before = context_.Statistics();
  pipeline.Run(*this);
  context_.Statistics().ResetRows(before);
}

void GrowingSinkRun::Run(PipelineRun& pipeline) {
  if (pipelines_.empty())
    Create();
  pipelines_.push_back(&pipeline);
  const RunStatistics before = context_.Statistics();
  bool is_anew = false;
  for (;;) {
    try {
      for (size_t i = 0; is_anew && i + 1 < pipelines_.size(); i++)
        RunAgain(*pipelines_[i]);
      pipeline.Run(*this);
      return;
    } catch (const TableFull&) {
      context_.Statistics().ResetRows(before);
      context_.Statistics().bytes_touched = before.bytes_touched;
      GrowTable();
      Create();
      is_anew = true;
    }
  }
}

}  // namespace margay::execute
