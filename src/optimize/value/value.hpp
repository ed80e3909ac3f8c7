#pragma once

#include <vector>

#include "optimize/estimate/range.hpp"
#include "optimize/value/node.hpp"

namespace margay::optimize {

//! What an expression is computed by, and what is known about its values.
struct Value {
  //! Of text only whether there is a node counts: see ValueBuilder::Text.
  const Node* node = nullptr;
  const Node* null = nullptr;  //!< a flag that is set where the value is NULL; null: it never is
  //! Integers: bounds that hold whatever the constants of the query are, as long as each keeps its
  //! width. Decides about machine types, so that one kernel serves all constants.
  Range range = {};
  //! Integers: bounds for the constants at hand, inside `range`. Decides about group domains.
  Range domain = {};
  //! Flags that are set where computing the value raises an error, each once.
  std::vector<const Node*> faults = {};

  Machine GetMachine() const { return node->machine; }
  bool CanBeNull() const { return null != nullptr; }
  bool CanFault() const { return !faults.empty(); }
};

}  // namespace margay::optimize
