#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace margay {

//! The exact integer type of the host side: every integer, decimal, date and dictionary code a
//! query can hold fits in it.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

inline constexpr Int128 kInt128Max = static_cast<Int128>(~static_cast<UInt128>(0) >> 1);
inline constexpr Int128 kInt128Min = -kInt128Max - 1;

//! 10 to the power of `exponent`, which is at most 38.
constexpr Int128 PowerOfTen(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; i++)
    power *= 10;
  return power;
}

//! The integer of two words in two's complement.
constexpr Int128 JoinWords(int64_t low, int64_t high) {
  return static_cast<Int128>(static_cast<UInt128>(static_cast<uint64_t>(high)) << 64 |
                             static_cast<uint64_t>(low));
}

std::string ToString(Int128 value);

}  // namespace margay
