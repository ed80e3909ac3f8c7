#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "optimize/physical/program.hpp"
#include "schedule/run_history.hpp"

namespace margay::execute {

//! What executions of a program found out for the next ones. Thread-safe.
class LearnedFacts {
 public:
  explicit LearnedFacts(const optimize::Program& program);

  //! The size with which an execution starts a table that can grow, by its sink: the entries of a
  //! join table, the slots of groups. What earlier executions found right; 0 for entries that none
  //! has counted.
  uint64_t Size(size_t sink) const { return sizes_[sink].load(std::memory_order_relaxed); }
  void LearnSize(size_t sink, uint64_t size) {
    sizes_[sink].store(size, std::memory_order_relaxed);
  }

  schedule::RunHistory& History() { return history_; }
  const schedule::RunHistory& History() const { return history_; }

 private:
  schedule::RunHistory history_;
  std::vector<std::atomic<uint64_t>> sizes_;
};

}  // namespace margay::execute
