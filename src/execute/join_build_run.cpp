#include "execute/join_build_run.hpp"

#include <algorithm>

#include "optimize/physical/join_method.hpp"

namespace margay::execute {

namespace {

//! A table that takes more than this part of the memory's limit is not kept: there would be little
//! room beside it.
constexpr uint64_t kLargestShareOfLimit = 4;

//! What a join table is filled with, but for the columns that are read: what was decided about its
//! pipeline, and what is bound to it.
std::string StructureName(const PipelineRun& pipeline, uint64_t slots) {
  const optimize::Parameters& parameters = pipeline.Lowered().values->parameters;
  std::string name;
  const auto append = [&](const auto* values, size_t count) {
    name.append(reinterpret_cast<const char*>(values), count * sizeof(*values));
  };
  append(&pipeline.Context().Part().DigestOf(pipeline.Number()), 1);
  append(&slots, 1);
  append(parameters.Words().data(), parameters.Words().size());
  const std::vector<uint8_t> tables = parameters.Tables();
  append(tables.data(), tables.size());
  return name;
}

}  // namespace

JoinBuildRun::JoinBuildRun(RunContext& context, size_t number)
    : GrowingSinkRun(context, number),
      sink_(As<optimize::JoinBuildSink>()),
      table_(sink_.table),
      is_resumable_(context.KernelOf(Sink().pipelines[0]).is_resumable) {}

bool JoinBuildRun::NeedsReport() const {
  return is_resumable_ || table_.is_numbered;
}

void JoinBuildRun::Create() {
  context_.Joins().Create(number_, table_, entries_, context_.Queue(), context_.Pool());
}

void JoinBuildRun::Run(PipelineRun& pipeline) {
  if (sink_.is_plain) {
    RunShared(pipeline);
    return;
  }
  // What joins make of the rows of its table is not known before the first run.
  LearnedFacts& learned = context_.Part().Learned();
  const uint64_t known = table_.is_numbered ? learned.Size(number_) : 0;
  entries_ = known != 0 ? known : std::max<uint64_t>(context_.RowsOf(pipeline.Lowered().table), 1);
  GrowingSinkRun::Run(pipeline);
  FillPartitions(pipeline, entries_);
  if (table_.is_numbered)
    learned.LearnSize(number_, entries_);
  if (table_.ranged_key)
    context_.ReadKeyRangeLater(number_);
}

void JoinBuildRun::RunShared(PipelineRun& pipeline) {
  storage::TableStructures& structures =
      context_.Part().ImageOf(pipeline.Lowered().table)->Structures();
  const std::string name = StructureName(pipeline, table_.slots);
  auto structure = std::make_shared<storage::TableStructure>();
  for (const optimize::InputColumn& column : pipeline.Lowered().columns)
    structure->columns.push_back(column.image);
  RunStatistics& statistics = context_.Statistics();
  if (const auto found = structures.Find(name, structure->columns)) {
    if (auto pins = found->TryPin()) {
      context_.Joins().TakeShared(number_, table_, std::move(*pins));
      statistics.structures_reused++;
      return;
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const double kernels_before = statistics.kernel_milliseconds;
  const bool is_scratch =
      JoinBuffers::SharedBytes(table_) > context_.Pool().Limit() / kLargestShareOfLimit;
  context_.Joins().CreateShared(number_, table_, is_scratch, context_.Queue(), context_.Pool());
  pipeline.Run(*this);
  FillPartitions(pipeline, table_.rows);
  context_.SettleAll();
  if (table_.is_ranked)
    context_.Timed([&] { context_.Joins().CountBits(number_, table_, context_.Queue()); });
  if (is_scratch)
    return;
  context_.Queue().Finish();  // others use it through their own queues
  structure->extents = context_.Joins().Extents(number_);
  structure->keys = sink_.keys_text;
  structure->form = optimize::JoinMethodName(table_.Method());
  structure->rows = table_.rows;
  structure->build_milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  structures.Add(name, std::move(structure));
  statistics.structures_built++;
  statistics.structure_milliseconds += statistics.kernel_milliseconds - kernels_before;
}

void JoinBuildRun::FillPartitions(PipelineRun& pipeline, uint64_t entries) {
  if (!table_.is_partitioned)
    return;
  context_.SettleAll();  // the table is filled through another queue
  uint64_t launches = 0;
  const double milliseconds = context_.Joins().FillPartitions(
      number_, entries, pipeline.Kernel().work_group, context_.Pool(), [&] {
        context_.ThrowIfInterrupted();
        launches++;
      });
  pipeline.CountLaunches("entries into partitions and chains", launches, milliseconds);
}

void JoinBuildRun::Bind(ArgumentBinder& binder, const PipelineRun& pipeline,
                        const Batch& /*batch*/) {
  context_.Joins().BindFilled(number_, table_, compile::FilledTable(pipeline.Lowered()),
                              pipeline.Lowered().numbers, binder);
}

}  // namespace margay::execute
