#include "execute/learned_facts.hpp"

#include <numeric>

namespace margay::execute {

namespace {

uint64_t SparedRows(const optimize::Program& program) {
  return std::accumulate(program.pipelines.begin(), program.pipelines.end(), uint64_t{0},
                         [](uint64_t rows, const optimize::ProgramPipeline& pipeline) {
                           return rows + pipeline.spared_rows;
                         });
}

}  // namespace

LearnedFacts::LearnedFacts(const optimize::Program& program)
    : history_(SparedRows(program)), sizes_(program.sinks.size()) {
  for (const optimize::ProgramPipeline& pipeline : program.pipelines) {
    const auto* groups = std::get_if<optimize::GroupSink>(&pipeline.lowered->sink);
    if (groups != nullptr && groups->layout.shared)
      LearnSize(pipeline.sink, groups->layout.shared->slots);
  }
}

}  // namespace margay::execute
