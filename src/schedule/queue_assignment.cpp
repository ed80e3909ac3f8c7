#include "schedule/queue_assignment.hpp"

#include <algorithm>
#include <cstdint>

namespace margay::schedule {

namespace {

//! What a pipeline takes at the least, in bytes that a device reads meanwhile: 10 us at 4 TB/s.
constexpr uint64_t kLeastBytes = uint64_t{40} << 20;

}  // namespace

std::vector<size_t> AssignQueues(const optimize::Program& program, size_t most_queues) {
  std::vector<size_t> queues;
  std::vector<uint64_t> free_at(std::max<size_t>(most_queues, 1), 0);  // by queue
  std::vector<uint64_t> done_at(program.sinks.size(), 0);              // by sink
  for (size_t number = 0; number < program.pipelines.size(); number++) {
    const optimize::ProgramPipeline& pipeline = program.pipelines[number];
    uint64_t ready_at = 0;
    size_t queue = 0;  // that of the input that is there last: nothing has to be waited for there
    for (size_t sink : program.SinksReadBy(number)) {
      if (done_at[sink] >= ready_at) {
        ready_at = done_at[sink];
        queue = queues[program.sinks[sink].pipelines.back()];
      }
    }
    const size_t first = program.sinks[pipeline.sink].pipelines.front();
    if (first < number) {
      queue = queues[first];
    } else {
      for (size_t other = 0; other < free_at.size(); other++) {
        if (std::max(free_at[other], ready_at) < std::max(free_at[queue], ready_at))
          queue = other;
      }
    }
    free_at[queue] = std::max(free_at[queue], ready_at) + std::max(pipeline.bytes, kLeastBytes);
    done_at[pipeline.sink] = free_at[queue];
    queues.push_back(queue);
  }
  return queues;
}

}  // namespace margay::schedule
