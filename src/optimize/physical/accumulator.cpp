#include "optimize/physical/accumulator.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "plan/integer128.hpp"

namespace margay::optimize {

namespace {

Int128 Joined(const int64_t* words) {
  return JoinWords(words[0], words[1]);
}

void Split(Int128 value, int64_t* words) {
  words[0] = static_cast<int64_t>(value);
  words[1] = static_cast<int64_t>(value >> 64);
}

}  // namespace

std::vector<int64_t> InitialWords(Fold fold) {
  switch (fold) {
    case Fold::Min64:
      return {std::numeric_limits<int64_t>::max()};
    case Fold::Max64:
      return {std::numeric_limits<int64_t>::min()};
    case Fold::MinWide:
      return {-1, std::numeric_limits<int64_t>::max()};
    case Fold::MaxWide:
      return {0, std::numeric_limits<int64_t>::min()};
    case Fold::Sum128:
      return {0, 0};
    default:
      return {0};
  }
}

void Combine(Fold fold, int64_t* into, const int64_t* from) {
  switch (fold) {
    case Fold::Count:
      into[0] += from[0];
      return;
    case Fold::SumFloat:
      into[0] =
          std::bit_cast<int64_t>(std::bit_cast<double>(into[0]) + std::bit_cast<double>(from[0]));
      return;
    case Fold::Min64:
      into[0] = std::min(into[0], from[0]);
      return;
    case Fold::Max64:
      into[0] = std::max(into[0], from[0]);
      return;
    case Fold::MinWide:
      Split(std::min(Joined(into), Joined(from)), into);
      return;
    case Fold::MaxWide:
      Split(std::max(Joined(into), Joined(from)), into);
      return;
    case Fold::Sum64:
    case Fold::Sum128:
      throw std::logic_error("Combine: sums are combined by the caller");
    case Fold::MinText:
    case Fold::MaxText:
      throw std::logic_error("Combine: strings are in shared tables alone");
  }
}

}  // namespace margay::optimize
