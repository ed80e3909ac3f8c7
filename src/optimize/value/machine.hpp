#pragma once

#include <cstdint>
#include <string_view>

#include "optimize/estimate/range.hpp"
#include "plan/type.hpp"

namespace margay::optimize {

//! How a value is held in a kernel. Flags are Int32.
enum class Machine : uint8_t {
  Int32,
  Int64,
  Wide,  //!< 128 bits, see kernels/numeric.cl
  Float32,
  Float64,
  Text,  //!< some bytes behind an address
};

//! The OpenCL C type of a machine value that is no text.
std::string_view MachineName(Machine machine);

//! The narrowest machine integer that holds all of `range`.
Machine MachineFor(const Range& range);

inline bool IsFloat(Machine machine) {
  return machine == Machine::Float32 || machine == Machine::Float64;
}

//! The machine type of FLOAT or DOUBLE.
inline Machine FloatMachine(const plan::Type& type) {
  return type.kind == plan::TypeKind::Float32 ? Machine::Float32 : Machine::Float64;
}

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

}  // namespace margay::optimize
