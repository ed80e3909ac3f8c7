#include "optimize/estimate/range.hpp"

#include <algorithm>
#include <initializer_list>

namespace margay::optimize {

namespace {

//! A bound and whether it is exact; beyond 128 bits it is cut off.
struct Bound {
  Int128 value;
  bool exact;
};

Bound Add(Int128 a, Int128 b) {
  Int128 sum;
  if (!__builtin_add_overflow(a, b, &sum))
    return {sum, true};
  return {a < 0 ? kInt128Min : kInt128Max, false};
}

Bound Subtract(Int128 a, Int128 b) {
  Int128 difference;
  if (!__builtin_sub_overflow(a, b, &difference))
    return {difference, true};
  return {a < 0 ? kInt128Min : kInt128Max, false};
}

Bound Multiply(Int128 a, Int128 b) {
  Int128 product;
  if (!__builtin_mul_overflow(a, b, &product))
    return {product, true};
  return {(a < 0) != (b < 0) ? kInt128Min : kInt128Max, false};
}

}  // namespace

bool Range::FitsIn(int bits) const {
  if (!exact)
    return false;
  if (bits >= 128)
    return true;
  const Int128 limit = static_cast<Int128>(1) << (bits - 1);
  return low >= -limit && high < limit;
}

Int128 Range::Magnitude() const {
  const Int128 positive = high < 0 ? 0 : high;
  const Int128 negative = low >= 0 ? 0 : low == kInt128Min ? kInt128Max : -low;
  return std::max(positive, negative);
}

Range Range::Union(const Range& other) const {
  return {std::min(low, other.low), std::max(high, other.high), exact && other.exact};
}

Range Range::CutTo(const Range& bounds) const {
  if (high < bounds.low || low > bounds.high)
    return bounds;
  return {std::max(low, bounds.low), std::min(high, bounds.high), true};
}

Range operator+(const Range& a, const Range& b) {
  const Bound low = Add(a.low, b.low), high = Add(a.high, b.high);
  return {low.value, high.value, low.exact && high.exact && a.exact && b.exact};
}

Range operator-(const Range& a, const Range& b) {
  const Bound low = Subtract(a.low, b.high), high = Subtract(a.high, b.low);
  return {low.value, high.value, low.exact && high.exact && a.exact && b.exact};
}

Range operator*(const Range& a, const Range& b) {
  const Bound corners[] = {Multiply(a.low, b.low), Multiply(a.low, b.high), Multiply(a.high, b.low),
                           Multiply(a.high, b.high)};
  Range range{corners[0].value, corners[0].value, a.exact && b.exact};
  for (const Bound& corner : corners) {
    range.low = std::min(range.low, corner.value);
    range.high = std::max(range.high, corner.value);
    range.exact = range.exact && corner.exact;
  }
  return range;
}

}  // namespace margay::optimize
