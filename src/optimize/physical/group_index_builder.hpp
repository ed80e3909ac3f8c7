#pragma once

#include <vector>

#include "optimize/physical/aggregate_layout.hpp"

namespace margay::optimize {

//! Builds the index of a row's group: see GroupDigit.
class GroupIndexBuilder {
 public:
  //! Both outlive the object. The keys of `layout` are laid out.
  GroupIndexBuilder(const AggregateLayout& layout, ValueBuilder& builder)
      : layout_(layout), builder_(builder), graph_(builder.Graph()) {}

  //! The words of the index: an unsigned int, or, for a shared table, unsigned numbers of 64 bits.
  std::vector<Value> Build();

 private:
  //! The index of a table that a work-group has to itself.
  Value BuildOwn();
  std::vector<Value> BuildShared();
  //! The digits of the place of the value of a shared table's key.
  std::vector<const Node*> BuildDigits(const GroupKey& key);

  const AggregateLayout& layout_;
  ValueBuilder& builder_;
  NodeGraph& graph_;
};

}  // namespace margay::optimize
