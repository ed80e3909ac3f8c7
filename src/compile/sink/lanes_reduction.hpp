#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/code_block.hpp"
#include "compile/sink/fold_code.hpp"
#include "optimize/physical/aggregate_layout.hpp"

namespace margay::compile {

//! One round of a reduction of what the lanes of a work-group have: some accumulators, between two
//! barriers.
struct ReductionRound {
  std::vector<size_t> accumulators;
  // Per word of them:
  std::vector<std::string> own;     //!< variables of a lane
  std::vector<std::string> shared;  //!< the lane's place in local memory, the bracket left open
  std::vector<size_t> table;        //!< numbers in the group's row
  std::vector<int64_t> initial;

  //! The accumulators of `layout`, cut into rounds of at most `most_words` words.
  static std::vector<ReductionRound> Cut(const optimize::AggregateLayout& layout,
                                         size_t most_words);

  //! Folds the words `from` of the round's accumulators into `into`.
  void WriteCombine(const optimize::AggregateLayout& layout, CodeBlock& block,
                    const std::vector<std::string>& into,
                    const std::vector<std::string>& from) const;
};

}  // namespace margay::compile
