#include "optimize/physical/group_index.hpp"

#include <algorithm>

namespace margay::optimize {

std::vector<GroupDigit> DigitsOf(UInt128 last, bool has_null) {
  std::vector<GroupDigit> digits;
  if (last >= kMostIndexes - 1) {
    for (; last >> kDigitBits != 0; last >>= kDigitBits)
      digits.emplace_back().values = uint64_t{1} << kDigitBits;
  }
  GroupDigit& highest = digits.emplace_back();
  highest.values = static_cast<uint64_t>(last) + 1;
  highest.has_null = has_null;
  return digits;
}

void PlaceDigit(GroupDigit& digit, std::vector<uint64_t>& places) {
  const auto word = std::find_if(places.begin(), places.end(), [&](uint64_t other) {
    return digit.Places() <= kMostIndexes / other;
  });
  digit.word = static_cast<size_t>(word - places.begin());
  if (word == places.end())
    places.push_back(1);
  digit.stride = places[digit.word];
  places[digit.word] *= digit.Places();
}

}  // namespace margay::optimize
