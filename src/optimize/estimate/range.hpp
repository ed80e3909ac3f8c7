#pragma once

#include "plan/integer128.hpp"

namespace margay::optimize {

//! An interval of integers that holds every value an expression can take. `exact` is false when
//! the true bounds lie outside 128 bits; `low` and `high` are then cut off there.
struct Range {
  Int128 low = 0;
  Int128 high = 0;
  bool exact = true;

  static Range All() { return {kInt128Min, kInt128Max, true}; }
  static Range Of(Int128 value) { return {value, value, true}; }

  bool Contains(const Range& other) const {
    return other.exact && low <= other.low && other.high <= high;
  }
  bool FitsIn(int bits) const;
  //! The largest absolute value in the range, cut off at the largest Int128.
  Int128 Magnitude() const;
  Range Union(const Range& other) const;
  //! The part inside `bounds`; `bounds` itself where nothing is inside.
  Range CutTo(const Range& bounds) const;
  bool operator==(const Range&) const = default;
};

Range operator+(const Range& a, const Range& b);
Range operator-(const Range& a, const Range& b);
Range operator*(const Range& a, const Range& b);

}  // namespace margay::optimize
