#pragma once

#include <memory>
#include <unordered_map>

#include "device/device.hpp"
#include "device/queue_lease.hpp"
#include "execute/inner_part.hpp"
#include "execute/kept_table.hpp"

namespace margay::execute {

//! What the runs of one execution share: a queue, and the results of inner parts that are still to
//! be read. One that several parts scan, or one of them several times, runs once.
//!
//! All commands go to the one queue, in the order in which they need each other's results; the host
//! waits only where it must know what they came to.
class Execution {
 public:
  //! Of `part`.
  explicit Execution(const CompiledPart& part) : queue_(part.GetDevice().AcquireQueue()) {
    CountReaders(part);
  }

  device::Queue& Queue() { return *queue_; }

  //! The result of `inner` for one of its readers: of `run`, a function, for the first of them. It
  //! is let go when the last one has it.
  template <typename Run>
  std::shared_ptr<const KeptTable> Get(const InnerPart& inner, const Run& run) {
    Result& result = results_.at(&inner);
    if (!result.table)
      result.table = run();
    result.readers--;
    return result.readers == 0 ? std::move(result.table) : result.table;
  }

 private:
  struct Result {
    uint64_t readers = 0;  //!< to come
    std::shared_ptr<const KeptTable> table;
  };

  void CountReaders(const CompiledPart& part) {
    for (const CompiledPart::Input& input : part.Inputs()) {
      if (!input.inner || results_[input.inner.get()].readers++ != 0)
        continue;
      for (const auto& inner : input.inner->parts)
        CountReaders(*inner);
    }
  }

  std::unordered_map<const InnerPart*, Result> results_;
  device::QueueLease queue_;  //!< waits for all commands before the results go
};

}  // namespace margay::execute
