#pragma once

#include <cstddef>
#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

//! Aggregates some of which fold each different value of their argument once (DISTINCT).
//!
//! All of one such argument aggregate groups that are made by that argument as well. Where there
//! are several arguments, or aggregates of all rows beside them, each of these has groups of its
//! own, which are joined by their keys.
class DistinctAggregates {
 public:
  //! `is_distinct` says for each of `aggregates` whether it is one of those.
  DistinctAggregates(std::vector<plan::Aggregate> aggregates, const std::vector<bool>& is_distinct);

  const std::vector<plan::Aggregate>& Aggregates() const { return aggregates_; }
  bool HasDistinct() const { return has_distinct_; }

  //! How many times the rows of the input are read: 1 where there is no join.
  size_t Readings() const;

  //! The rows of `input` in `groups`: these keys, then the aggregates.
  plan::NodePointer Group(const plan::NodePointer& input,
                          const std::vector<plan::ExpressionPointer>& groups) const;

 private:
  //! Aggregates with groups of their own.
  struct Branch {
    plan::ExpressionPointer argument;  //!< null: they fold all rows
    std::vector<size_t> aggregates;    //!< their numbers
  };

  plan::NodePointer GroupBranch(const Branch& branch, const plan::NodePointer& input,
                                const std::vector<plan::ExpressionPointer>& groups) const;

  std::vector<plan::Aggregate> aggregates_;
  bool has_distinct_;
  std::vector<Branch> branches_;
};

}  // namespace margay::optimize
