#pragma once

#include <atomic>
#include <cstdint>

namespace margay::schedule {

//! Whether a program that looks few rows up in large tables, by estimates, is worth it: compares
//! what its executions take with what scanning these tables would. Thread-safe.
class RunHistory {
 public:
  //! `spared_rows` are those of the tables that are not scanned; 0 where all are.
  explicit RunHistory(uint64_t spared_rows) : spared_rows_(spared_rows) {}

  //! Notes what an execution took that scanned `rows` rows, in nanoseconds of its own kernels, but
  //! for tables that others find cached, times the compute units it had.
  void Add(double nanoseconds, uint64_t rows);
  //! Whether executions took longer than scans would: the program had better be made without such
  //! estimates.
  bool EstimatedWrong() const;

 private:
  const uint64_t spared_rows_;
  std::atomic<uint32_t> slow_runs_{0};  //!< in a row
};

}  // namespace margay::schedule
