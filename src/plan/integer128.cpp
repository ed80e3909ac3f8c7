#include "plan/integer128.hpp"

#include <algorithm>

namespace margay {

std::string ToString(Int128 value) {
  if (value == 0)
    return "0";
  UInt128 magnitude = value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
  std::string digits;
  for (; magnitude != 0; magnitude /= 10)
    digits += static_cast<char>('0' + int(magnitude % 10));
  if (value < 0)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace margay
