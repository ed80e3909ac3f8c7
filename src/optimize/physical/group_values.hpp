#pragma once

#include "optimize/physical/aggregate_layout.hpp"

namespace margay::optimize {

//! What is known of the values of a group's key that is not dependent.
Range RangeOfKey(const GroupKey& key);
//! The same of aggregate `number`, an integer.
Range RangeOfAggregate(const AggregateLayout& layout, size_t number,
                       const plan::Aggregate& aggregate);
//! Whether aggregate `number` can be NULL in a group that has rows.
bool CanBeNull(const AggregateLayout& layout, size_t number, const plan::Aggregate& aggregate);

//! Builds the finished values of one group of a shared table: of its keys, from the words of the
//! group's index, and of its aggregates, from the words of its accumulators.
class GroupValues {
 public:
  //! Both outlive the object. `builder` builds the values of the kernel that packs the groups.
  GroupValues(const AggregateLayout& layout, ValueBuilder& builder)
      : layout_(layout), builder_(builder), graph_(builder.Graph()) {}

  //! The value of a key that is not dependent; of a string: its code.
  Value Key(const GroupKey& key);
  //! The value of aggregate number `number`, which is `aggregate`; of a string its code, or, if it
  //! is text, its row in the column that holds the bytes. Throws Unsupported.
  Value Aggregate(size_t number, const plan::Aggregate& aggregate);

 private:
  //! What the group's index has of `digit`.
  const Node* Digit(const GroupDigit& digit);
  //! The value of `key` at the place of these digits.
  Value Placed(const GroupKey& key, const std::vector<const Node*>& digits);
  //! The same of a key whose values are listed.
  Value Listed(const GroupKey& key, const Node* place);
  //! Two words of an accumulator as one number.
  const Node* Wide(const Accumulator& accumulator);
  Value Sum(const Accumulator& accumulator);
  Value Average(const Accumulator& accumulator, const Node* count,
                const plan::Aggregate& aggregate);
  //! Of one word or of two.
  Value Extreme(const Accumulator& accumulator, const plan::Aggregate& aggregate);

  const AggregateLayout& layout_;
  ValueBuilder& builder_;
  NodeGraph& graph_;
};

}  // namespace margay::optimize
