#pragma once

#include <cstdint>
#include <string>

#include "plan/integer128.hpp"

namespace margay::plan {

enum class TypeKind : uint8_t {
  Boolean,
  Int8,
  Int16,
  Int32,
  Int64,
  Int128,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  UInt128,    //!< only as the value of a dictionary function (a compressed string), never computed
              //!< with
  Decimal,    //!< an integer of `width` digits, `scale` of them after the point
  Date,       //!< days since 1970-01-01
  Timestamp,  //!< microseconds since 1970-01-01
  Float32,
  Float64,
  Varchar,
};

//! The type of a value: DuckDB's logical types, as far as Margay computes with them.
struct Type {
  TypeKind kind = TypeKind::Int64;
  uint8_t width = 0;  //!< digits of a Decimal, else 0
  uint8_t scale = 0;  //!< digits after the point of a Decimal, else 0

  constexpr Type() = default;
  constexpr Type(TypeKind kind) : kind(kind) {}  // NOLINT: a kind without digits is a type
  static constexpr Type Decimal(uint8_t width, uint8_t scale) {
    Type type(TypeKind::Decimal);
    type.width = width;
    type.scale = scale;
    return type;
  }

  bool operator==(const Type&) const = default;

  bool IsFloat() const { return kind == TypeKind::Float32 || kind == TypeKind::Float64; }
  bool IsVarchar() const { return kind == TypeKind::Varchar; }
  bool IsBoolean() const { return kind == TypeKind::Boolean; }
  //! One of DuckDB's integer types, but for UInt128.
  bool IsInteger() const { return kind >= TypeKind::Int8 && kind <= TypeKind::UInt64; }
  //! Everything that is computed as an integer: booleans, integers, decimals, dates, timestamps.
  bool IsIntegral() const { return !IsFloat() && !IsVarchar(); }

  //! Bytes of one value in DuckDB's vectors (a Varchar counts as its 4-byte dictionary code).
  int PhysicalBytes() const;
  //! Smallest and largest value the type can hold; only for integral types other than UInt128.
  Int128 LowestValue() const;
  Int128 HighestValue() const;

  //! As DuckDB writes it: INTEGER, DECIMAL(15,2), ...
  std::string ToString() const;
};

}  // namespace margay::plan
