#pragma once

#include <string>

#include "compile/range.hpp"
#include "plan/type.hpp"

namespace margay::compile {

//! How a value is held in a kernel.
enum class Machine : uint8_t { Int32, Int64, Wide, Float32, Float64 };

//! The OpenCL C type of a machine value.
std::string_view MachineName(Machine machine);

//! The narrowest machine integer that holds all of `range`.
Machine MachineFor(const Range& range);

//! A value that generated code has computed for the row at hand.
struct Value {
  Machine machine = Machine::Int32;
  std::string code;  //!< a variable or a literal, free of side effects
  std::string null;  //!< an int that is 1 where the value is NULL; empty: it never is
  //! Integers: bounds that hold whatever the constants of the query are, as long as each keeps its
  //! width. Decides about machine types, so that one kernel serves all constants.
  Range range;
  //! Integers: bounds for the constants at hand, inside `range`. Decides about group domains.
  Range domain;

  bool CanBeNull() const { return !null.empty(); }
};

//! Days of DATE 'infinity'; '-infinity' is its negative.
inline constexpr Int128 kInfiniteDate = 2147483647;

//! The range of all values of an integral type.
Range RangeOf(const plan::Type& type);

//! The range of all constants that are as wide as `value` (8, 16, 32, 64 or 128 bits).
Range RangeOfConstant(Int128 value);

}  // namespace margay::compile
