#pragma once

#include <string>

#include "optimize/value/machine.hpp"

namespace margay::compile {

using optimize::Machine;

//! A value that written code has computed for the row at hand.
struct WrittenValue {
  Machine machine = Machine::Int32;
  std::string code = {};  //!< a variable or a literal, free of side effects
  std::string null = {};  //!< a flag that is set where the value is NULL; empty: it never is

  bool CanBeNull() const { return !null.empty(); }
};

}  // namespace margay::compile
