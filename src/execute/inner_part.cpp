#include "execute/inner_part.hpp"

#include "execute/kept_rows_run.hpp"

namespace margay::execute {

std::vector<std::unique_ptr<KernelRun>> InnerPart::Start(const RunOptions& options) const {
  std::vector<std::unique_ptr<KernelRun>> runs;
  if (parts[0]->Program().result.is_aggregate) {
    runs.push_back(parts[0]->StartKernelRun(options));
    return runs;
  }
  const auto rows = std::make_shared<KeptRows>(columns, parts[0]->Pool());
  for (const auto& part : parts)
    runs.push_back(std::make_unique<KeptRowsRun>(part, options, rows));
  return runs;
}

}  // namespace margay::execute
