#include "optimize/physical/plain_build.hpp"

namespace margay::optimize {

bool IsPlainBuild(const BuildPipeline& build, const std::vector<InputColumn>& columns) {
  if (!build.pipeline.conjuncts.empty() || !build.pipeline.joins.empty())
    return false;
  bool reads_column = false, reads_images = true;
  for (const plan::ExpressionPointer& key : build.keys) {
    VisitColumns(*key, [&](size_t column) {
      reads_column = true;
      reads_images = reads_images && columns[column].image != nullptr;
    });
  }
  return reads_column && reads_images;
}

}  // namespace margay::optimize
