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

//! The machine type of FLOAT or DOUBLE.
inline Machine FloatMachine(const plan::Type& type) {
  return type.kind == plan::TypeKind::Float32 ? Machine::Float32 : Machine::Float64;
}

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

inline constexpr Int128 kMicrosecondsPerDay = 86'400'000'000;

//! Days of the first and last date that have timestamps (the last one not all of them).
inline constexpr Int128 kLastTimestampDay = 106'751'991;

//! The finite timestamps.
inline constexpr Range kFiniteTimestamps{-kLastTimestampDay * kMicrosecondsPerDay, INT64_MAX - 1,
                                         true};

//! The range of all values of an integral type.
Range RangeOf(const plan::Type& type);

//! The range of all constants that are as wide as `value` (8, 16, 32, 48, 56, 64 or 128 bits).
Range RangeOfConstant(Int128 value);

}  // namespace margay::compile
