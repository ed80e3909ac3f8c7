#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "plan/integer128.hpp"

namespace margay::storage {

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
