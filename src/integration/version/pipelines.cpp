#include "integration/version/pipelines.hpp"

#include <algorithm>

#include "duckdb/execution/execution_context.hpp"
#include "duckdb/execution/executor.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parallel/event.hpp"
#include "duckdb/parallel/meta_pipeline.hpp"
#include "duckdb/parallel/pipeline.hpp"

namespace margay::integration {

void SetSource(duckdb::PhysicalOperator& source, duckdb::Pipeline& current,
               duckdb::MetaPipeline& pipelines) {
  pipelines.GetState().SetPipelineSource(current, source);
}

void AddInput(duckdb::PhysicalOperator& sink, duckdb::Pipeline& current,
              duckdb::MetaPipeline& pipelines) {
  sink.sink_state.reset();
  pipelines.CreateChildMetaPipeline(current, sink).Build(sink.children[0].get());
}

duckdb::shared_ptr<duckdb::MetaPipeline> PreparePipelines(duckdb::PhysicalOperator& child,
                                                          duckdb::PhysicalOperator& sink,
                                                          duckdb::MetaPipeline& pipelines) {
  auto prepared = duckdb::make_shared_ptr<duckdb::MetaPipeline>(pipelines.GetExecutor(),
                                                                pipelines.GetState(), &sink);
  prepared->Build(child);
  prepared->Ready();
  return prepared;
}

void RunPipelines(duckdb::ExecutionContext& context, duckdb::MetaPipeline& pipelines,
                  std::mutex& mutex) {
  auto& executor = ExecutorOf(context);
  duckdb::vector<duckdb::shared_ptr<duckdb::MetaPipeline>> all;
  pipelines.GetMetaPipelines(all, true, false);
  duckdb::vector<duckdb::shared_ptr<duckdb::Event>> events;
  {
    std::lock_guard<std::mutex> guard(mutex);
    executor.ReschedulePipelines(all, events);
  }
  auto is_finished = [&] {
    return std::all_of(events.begin(), events.end(),
                       [](const auto& event) { return event->IsFinished(); });
  };
  while (!is_finished()) {
    executor.WorkOnTasks();
    if (executor.HasError()) {
      executor.ThrowException();
    }
    if (context.client.IsInterrupted()) {
      throw duckdb::InterruptException();
    }
  }
}

duckdb::Executor& ExecutorOf(duckdb::ExecutionContext& context) {
  return context.pipeline->executor;
}

}  // namespace margay::integration
