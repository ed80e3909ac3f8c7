#include "plan/type.hpp"

#include <stdexcept>

namespace margay::plan {

int Type::PhysicalBytes() const {
  switch (kind) {
    case TypeKind::Boolean:
    case TypeKind::Int8:
    case TypeKind::UInt8:
      return 1;
    case TypeKind::Int16:
    case TypeKind::UInt16:
      return 2;
    case TypeKind::Int32:
    case TypeKind::UInt32:
    case TypeKind::Date:
    case TypeKind::Float32:
    case TypeKind::Varchar:
      return 4;
    case TypeKind::Int64:
    case TypeKind::UInt64:
    case TypeKind::Timestamp:
    case TypeKind::Float64:
      return 8;
    case TypeKind::Int128:
    case TypeKind::UInt128:
      return 16;
    case TypeKind::Decimal:
      return width <= 4 ? 2 : width <= 9 ? 4 : width <= 18 ? 8 : 16;
  }
  throw std::logic_error("Type::PhysicalBytes: unknown type kind");
}

Int128 Type::HighestValue() const {
  switch (kind) {
    case TypeKind::Boolean:
      return 1;
    case TypeKind::Int8:
      return std::numeric_limits<int8_t>::max();
    case TypeKind::UInt8:
      return std::numeric_limits<uint8_t>::max();
    case TypeKind::Int16:
      return std::numeric_limits<int16_t>::max();
    case TypeKind::UInt16:
      return std::numeric_limits<uint16_t>::max();
    case TypeKind::Int32:
    case TypeKind::Date:
      return std::numeric_limits<int32_t>::max();
    case TypeKind::UInt32:
      return std::numeric_limits<uint32_t>::max();
    case TypeKind::Int64:
    case TypeKind::Timestamp:
      return std::numeric_limits<int64_t>::max();
    case TypeKind::UInt64:
      return std::numeric_limits<uint64_t>::max();
    case TypeKind::Int128:
      return kInt128Max;
    case TypeKind::Decimal:
      return PowerOfTen(width) - 1;
    default:
      throw std::logic_error("Type::HighestValue: not an integral type: " + ToString());
  }
}

Int128 Type::LowestValue() const {
  switch (kind) {
    case TypeKind::Boolean:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
    case TypeKind::UInt64:
      return 0;
    case TypeKind::Decimal:
      return -HighestValue();
    default:
      return -HighestValue() - 1;
  }
}

std::string Type::ToString() const {
  switch (kind) {
    case TypeKind::Boolean:
      return "BOOLEAN";
    case TypeKind::Int8:
      return "TINYINT";
    case TypeKind::Int16:
      return "SMALLINT";
    case TypeKind::Int32:
      return "INTEGER";
    case TypeKind::Int64:
      return "BIGINT";
    case TypeKind::Int128:
      return "HUGEINT";
    case TypeKind::UInt8:
      return "UTINYINT";
    case TypeKind::UInt16:
      return "USMALLINT";
    case TypeKind::UInt32:
      return "UINTEGER";
    case TypeKind::UInt64:
      return "UBIGINT";
    case TypeKind::UInt128:
      return "UHUGEINT";
    case TypeKind::Decimal:
      return "DECIMAL(" + std::to_string(width) + "," + std::to_string(scale) + ")";
    case TypeKind::Date:
      return "DATE";
    case TypeKind::Timestamp:
      return "TIMESTAMP";
    case TypeKind::Float32:
      return "FLOAT";
    case TypeKind::Float64:
      return "DOUBLE";
    case TypeKind::Varchar:
      return "VARCHAR";
  }
  throw std::logic_error("Type::ToString: unknown type kind");
}

}  // namespace margay::plan
