#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "plan/integer128.hpp"

namespace margay::storage {

//! Bytes of an unsigned offset up to `spread`.
constexpr size_t WidthFor(uint64_t spread) {
  return spread <= 0xFF ? 1 : spread <= 0xFFFF ? 2 : spread <= 0xFFFFFFFF ? 4 : 8;
}

constexpr bool FitsInt64(Int128 value) {
  return value >= std::numeric_limits<int64_t>::min() &&
         value <= std::numeric_limits<int64_t>::max();
}

//! Calls function(std::type_identity<U>()) with the unsigned integer of `width` bytes.
template <typename Function>
auto VisitWidth(size_t width, const Function& function) {
  switch (width) {
    case 1:
      return function(std::type_identity<uint8_t>());
    case 2:
      return function(std::type_identity<uint16_t>());
    case 4:
      return function(std::type_identity<uint32_t>());
    case 8:
      return function(std::type_identity<uint64_t>());
    case 16:
      return function(std::type_identity<UInt128>());
    default:
      throw std::logic_error("VisitWidth: no integer has " + std::to_string(width) + " bytes");
  }
}

}  // namespace margay::storage
