// The inner loops of encoding. At -O2 GCC vectorises only loops whose trip count it knows, so they
// run over blocks of a constant number of rows, with a scalar rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "plan/integer128.hpp"

namespace margay::storage {

//! Rows that a loop handles as one block.
inline constexpr size_t kLoopBlock = 64;

//! `count` without the rest that does not fill a block.
constexpr size_t WholeBlocks(size_t count, size_t block = kLoopBlock) {
  return count - count % block;
}

//! The unsigned integer of the same size; 128 bits included.
template <typename T>
struct UnsignedOf {
  using type = std::make_unsigned_t<T>;
};
template <>
struct UnsignedOf<Int128> {
  using type = UInt128;
};
template <>
struct UnsignedOf<UInt128> {
  using type = UInt128;
};

template <typename T>
struct Range {
  T min;
  T max;
};

//! Smallest and largest of `count` values, at least 1.
template <typename T>
Range<T> FindRange(const T* values, size_t count) {
  T min = values[0];
  T max = values[0];
  const size_t blocks = WholeBlocks(count);
  for (size_t i = 0; i < blocks; i += kLoopBlock) {
    for (size_t j = 0; j < kLoopBlock; j++) {
      T value = values[i + j];
      min = value < min ? value : min;
      max = value > max ? value : max;
    }
  }
  for (size_t i = blocks; i < count; i++) {
    min = values[i] < min ? values[i] : min;
    max = values[i] > max ? values[i] : max;
  }
  return {min, max};
}

template <typename T>
struct RealRange {
  T min = std::numeric_limits<T>::infinity();
  T max = -std::numeric_limits<T>::infinity();
  bool has_nan = false;
};

//! The same for floating point, NaNs left out. Lanes are kept apart because the order of a
//! floating-point minimum may not be changed by the compiler.
template <typename T>
RealRange<T> FindRealRange(const T* values, size_t count) {
  constexpr size_t kLanes = 16;
  RealRange<T> range;
  T min[kLanes];
  T max[kLanes];
  bool nan[kLanes];
  for (size_t j = 0; j < kLanes; j++) {
    min[j] = range.min;
    max[j] = range.max;
    nan[j] = false;
  }
  const size_t blocks = WholeBlocks(count, kLanes);
  for (size_t i = 0; i < blocks; i += kLanes) {
    for (size_t j = 0; j < kLanes; j++) {
      T value = values[i + j];
      min[j] = value < min[j] ? value : min[j];
      max[j] = value > max[j] ? value : max[j];
      nan[j] |= value != value;
    }
  }
  for (size_t i = blocks; i < count; i++) {
    T value = values[i];
    min[0] = value < min[0] ? value : min[0];
    max[0] = value > max[0] ? value : max[0];
    nan[0] |= value != value;
  }
  for (size_t j = 0; j < kLanes; j++) {
    range.min = min[j] < range.min ? min[j] : range.min;
    range.max = max[j] > range.max ? max[j] : range.max;
    range.has_nan |= nan[j];
  }
  return range;
}

//! out[i] = in[i] + delta, modulo the width of Out.
template <typename In, typename Out>
void AddAndConvert(const In* __restrict in, Out* __restrict out, size_t count, Out delta) {
  const size_t blocks = WholeBlocks(count);
  for (size_t i = 0; i < blocks; i += kLoopBlock) {
    for (size_t j = 0; j < kLoopBlock; j++) {
      out[i + j] = static_cast<Out>(static_cast<Out>(in[i + j]) + delta);
    }
  }
  for (size_t i = blocks; i < count; i++) {
    out[i] = static_cast<Out>(static_cast<Out>(in[i]) + delta);
  }
}

//! What is known about neighbours within a run of rows.
struct Order {
  bool is_sorted = true;
  //! Places where a value is larger than the one before; only where sorted.
  uint64_t steps = 0;
};

//! Of `count` values, at least 1. Stops at the first block that is out of order.
template <typename T>
Order FindOrder(const T* values, size_t count) {
  Order order;
  const size_t blocks = WholeBlocks(count - 1);
  for (size_t i = 0; i < blocks; i += kLoopBlock) {
    uint32_t falls = 0;
    uint32_t rises = 0;
    for (size_t j = 0; j < kLoopBlock; j++) {
      falls += values[i + j + 1] < values[i + j];
      rises += values[i + j + 1] > values[i + j];
    }
    if (falls > 0) {
      return {false, 0};
    }
    order.steps += rises;
  }
  for (size_t i = blocks; i + 1 < count; i++) {
    if (values[i + 1] < values[i]) {
      return {false, 0};
    }
    order.steps += values[i + 1] > values[i];
  }
  return order;
}

}  // namespace margay::storage
