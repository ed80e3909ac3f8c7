#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "optimize/physical/program.hpp"

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

  //! What an execution took that scanned `rows` rows, in nanoseconds of its own kernels, but for
  //! tables that others find cached, times the compute units it had.
  void LearnTime(double nanoseconds, uint64_t rows);
  //! Whether executions took longer than they would without looking few rows up in large tables, by
  //! estimates: the program had better be made without them.
  bool EstimatedWrong() const;

 private:
  const uint64_t spared_rows_;
  std::vector<std::atomic<uint64_t>> sizes_;
  std::atomic<uint32_t> slow_runs_{0};  //!< in a row
};

}  // namespace margay::execute
