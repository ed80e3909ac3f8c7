#include "execute/learned_facts.hpp"

#include <numeric>

namespace margay::execute {

namespace {

//! What a slow scan takes, in nanoseconds per row and compute unit. A program that spares it takes
//! a quarter of that on two cores (TPC-H's Q5 at scale 10, the slowest of its kind: 58 ms for 60 M
//! rows).
constexpr double kSlowScan = 8;

//! One run alone may be slow because memory is new, or others use the machine.
constexpr uint32_t kMostSlowRuns = 2;

uint64_t SparedRows(const optimize::Program& program) {
  return std::accumulate(program.pipelines.begin(), program.pipelines.end(), uint64_t{0},
                         [](uint64_t rows, const optimize::ProgramPipeline& pipeline) {
                           return rows + pipeline.spared_rows;
                         });
}

}  // namespace

LearnedFacts::LearnedFacts(const optimize::Program& program)
    : spared_rows_(SparedRows(program)), sizes_(program.sinks.size()) {
  for (const optimize::ProgramPipeline& pipeline : program.pipelines) {
    const auto* groups = std::get_if<optimize::GroupSink>(&pipeline.lowered->sink);
    if (groups != nullptr && groups->layout.shared)
      LearnSize(pipeline.sink, groups->layout.shared->slots);
  }
}

void LearnedFacts::LearnTime(double nanoseconds, uint64_t rows) {
  const bool is_slow =
      spared_rows_ != 0 && nanoseconds > kSlowScan * static_cast<double>(spared_rows_ + rows);
  slow_runs_ = is_slow ? slow_runs_ + 1 : 0;
}

bool LearnedFacts::EstimatedWrong() const {
  return slow_runs_ >= kMostSlowRuns;
}

}  // namespace margay::execute
