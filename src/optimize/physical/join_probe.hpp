#pragma once

#include <optional>
#include <vector>

#include "optimize/physical/join_table.hpp"
#include "optimize/physical/stage.hpp"
#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! Where the entries with some keys are in a join table.
struct JoinSlot {
  //! The slot, or the hash whose low bits are the slot of a hash table.
  Value index;
  const Node* exists = nullptr;  //!< a flag: there can be entries; null: always
};

//! How a row gets into a join table.
struct JoinInsert {
  std::vector<Value> keys;
  JoinSlot slot;

  //! `keys` are those of `table`'s build side.
  static JoinInsert Of(const std::vector<plan::ExpressionPointer>& keys, const JoinTable& table,
                       ValueBuilder& builder);
};

//! How the matches of a row are found in a join table.
struct JoinProbe {
  std::vector<Value> keys;
  JoinSlot slot;
  //! Flags, one per key that JoinTable compares: that of the row equals that of the entry at hand,
  //! or both are NULL and NULL matches NULL.
  std::vector<Value> equalities;
  std::optional<Value> residual;
  std::vector<Value> conjuncts;  //!< behind the join

  static JoinProbe Of(const PipelineJoin& join, const JoinTable& table, ValueBuilder& builder);
};

}  // namespace margay::optimize
