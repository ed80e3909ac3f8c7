#include "execute/materialised_rows_run.hpp"

namespace margay::execute {

MaterialisedRowsRun::MaterialisedRowsRun(RunContext& context, size_t number)
    : RegionsRun(context, number), rows_(Sink().columns, context.Pool()) {}

void MaterialisedRowsRun::TakeBatch(PipelineRun& pipeline, const Batch& /*batch*/) {
  const Regions regions = FilledRegions(pipeline);
  std::vector<MaterialisedTableBuilder::Column> columns;
  for (const OutputBuffers& buffers : Outputs())
    columns.push_back({buffers.values, buffers.nulls});
  rows_.Append(context_.Queue(), regions, columns, pipeline.Kernel().work_group);
}

void MaterialisedRowsRun::Finish() {
  context_.SetMaterialised(number_, rows_.Table(context_.Queue()));
  RegionsRun::Finish();
}

}  // namespace margay::execute
