#pragma once

#include <mutex>

#include "duckdb/common/shared_ptr.hpp"

namespace duckdb {
class ExecutionContext;
class Executor;
class MetaPipeline;
class PhysicalOperator;
class Pipeline;
}  // namespace duckdb

namespace margay::integration {

//! For BuildPipelines(): makes `source` the source of `current`, a pipeline of `pipelines`.
void SetSource(duckdb::PhysicalOperator& source, duckdb::Pipeline& current,
               duckdb::MetaPipeline& pipelines);

//! For BuildPipelines(): adds pipelines that pass the rows of the only child of `sink` to it,
//! before `current`, a pipeline of `pipelines`, can start.
void AddInput(duckdb::PhysicalOperator& sink, duckdb::Pipeline& current,
              duckdb::MetaPipeline& pipelines);

//! For BuildPipelines(): pipelines that pass the rows of `child` to `sink`, and belong to the query
//! of `pipelines`, but run only where RunPipelines() says so. They can't be made later, as the
//! state that they are built with ends with the initialisation of the query.
duckdb::shared_ptr<duckdb::MetaPipeline> PreparePipelines(duckdb::PhysicalOperator& child,
                                                          duckdb::PhysicalOperator& sink,
                                                          duckdb::MetaPipeline& pipelines);

//! Runs pipelines that were prepared for the query of `context`, from a thread that runs a task of
//! it, and takes part in them until they have ended. No two queries of an instance may add
//! pipelines at the same time: `mutex` is held meanwhile. Throws errors of the query, and
//! duckdb::InterruptException.
void RunPipelines(duckdb::ExecutionContext& context, duckdb::MetaPipeline& pipelines,
                  std::mutex& mutex);

//! Whom the tasks of the query of `context` belong to.
duckdb::Executor& ExecutorOf(duckdb::ExecutionContext& context);

}  // namespace margay::integration
