#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "plan/type.hpp"

namespace margay::storage {

//! Calls function(std::type_identity<T>()) with the C++ type in which DuckDB's vectors hold values
//! of `type`: integers of 8 to 128 bits, float, double, or std::string_view; booleans are uint8_t.
template <typename Function>
auto VisitPhysicalType(const plan::Type& type, const Function& function) {
  using plan::TypeKind;
  switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::UInt8:
      return function(std::type_identity<uint8_t>());
    case TypeKind::Int8:
      return function(std::type_identity<int8_t>());
    case TypeKind::Int16:
      return function(std::type_identity<int16_t>());
    case TypeKind::Int32:
    case TypeKind::Date:
      return function(std::type_identity<int32_t>());
    case TypeKind::Int64:
    case TypeKind::Timestamp:
      return function(std::type_identity<int64_t>());
    case TypeKind::Int128:
      return function(std::type_identity<Int128>());
    case TypeKind::UInt16:
      return function(std::type_identity<uint16_t>());
    case TypeKind::UInt32:
      return function(std::type_identity<uint32_t>());
    case TypeKind::UInt64:
      return function(std::type_identity<uint64_t>());
    case TypeKind::Float32:
      return function(std::type_identity<float>());
    case TypeKind::Float64:
      return function(std::type_identity<double>());
    case TypeKind::Varchar:
      return function(std::type_identity<std::string_view>());
    case TypeKind::Decimal:
      switch (type.PhysicalBytes()) {
        case 2:
          return function(std::type_identity<int16_t>());
        case 4:
          return function(std::type_identity<int32_t>());
        case 8:
          return function(std::type_identity<int64_t>());
        default:
          return function(std::type_identity<Int128>());
      }
    case TypeKind::UInt128:
      break;
  }
  throw std::logic_error("VisitPhysicalType: no columns of type " + type.ToString());
}

}  // namespace margay::storage
