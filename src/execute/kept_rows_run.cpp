#include "execute/kept_rows_run.hpp"

namespace margay::execute {

void KeptRowsRun::TakeBatch(device::Queue& queue, const Batch& batch) {
  const Regions regions = ReadRegions(queue, batch);
  std::vector<KeptRows::Column> columns;
  for (const OutputBuffers& buffers : Outputs())
    columns.push_back({buffers.values, buffers.nulls});
  rows_->Append(queue, regions, columns, Kernel().work_group);
}

}  // namespace margay::execute
