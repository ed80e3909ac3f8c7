#pragma once

#include <memory>
#include <unordered_map>

#include "execute/inner_part.hpp"
#include "execute/kept_table.hpp"

namespace margay::execute {

//! The results of inner parts in one execution that are still to be read. One that several parts
//! scan, or one of them several times, runs once.
class InnerResults {
 public:
  //! Of an execution of `part`.
  explicit InnerResults(const CompiledPart& part) { CountReaders(part); }

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
};

}  // namespace margay::execute
