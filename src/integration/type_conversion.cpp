#include "integration/type_conversion.hpp"

#include <stdexcept>

#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/types/uhugeint.hpp"

namespace margay::integration {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using plan::Type;
using plan::TypeKind;

std::optional<Type> ToPlanType(const LogicalType& type) {
  if (type.HasAlias()) {
    return std::nullopt;
  }
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return TypeKind::Boolean;
    case LogicalTypeId::TINYINT:
      return TypeKind::Int8;
    case LogicalTypeId::SMALLINT:
      return TypeKind::Int16;
    case LogicalTypeId::INTEGER:
      return TypeKind::Int32;
    case LogicalTypeId::BIGINT:
      return TypeKind::Int64;
    case LogicalTypeId::HUGEINT:
      return TypeKind::Int128;
    case LogicalTypeId::UTINYINT:
      return TypeKind::UInt8;
    case LogicalTypeId::USMALLINT:
      return TypeKind::UInt16;
    case LogicalTypeId::UINTEGER:
      return TypeKind::UInt32;
    case LogicalTypeId::UBIGINT:
      return TypeKind::UInt64;
    case LogicalTypeId::UHUGEINT:
      return TypeKind::UInt128;
    case LogicalTypeId::DECIMAL:
      return Type::Decimal(duckdb::DecimalType::GetWidth(type),
                           duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::DATE:
      return TypeKind::Date;
    case LogicalTypeId::TIMESTAMP:
      return TypeKind::Timestamp;
    case LogicalTypeId::FLOAT:
      return TypeKind::Float32;
    case LogicalTypeId::DOUBLE:
      return TypeKind::Float64;
    case LogicalTypeId::VARCHAR:
      if (!duckdb::StringType::GetCollation(type).empty()) {
        return std::nullopt;
      }
      return TypeKind::Varchar;
    default:
      return std::nullopt;
  }
}

LogicalType ToLogicalType(const Type& type) {
  switch (type.kind) {
    case TypeKind::Boolean:
      return LogicalType::BOOLEAN;
    case TypeKind::Int8:
      return LogicalType::TINYINT;
    case TypeKind::Int16:
      return LogicalType::SMALLINT;
    case TypeKind::Int32:
      return LogicalType::INTEGER;
    case TypeKind::Int64:
      return LogicalType::BIGINT;
    case TypeKind::Int128:
      return LogicalType::HUGEINT;
    case TypeKind::UInt8:
      return LogicalType::UTINYINT;
    case TypeKind::UInt16:
      return LogicalType::USMALLINT;
    case TypeKind::UInt32:
      return LogicalType::UINTEGER;
    case TypeKind::UInt64:
      return LogicalType::UBIGINT;
    case TypeKind::UInt128:
      return LogicalType::UHUGEINT;
    case TypeKind::Decimal:
      return LogicalType::DECIMAL(type.width, type.scale);
    case TypeKind::Date:
      return LogicalType::DATE;
    case TypeKind::Timestamp:
      return LogicalType::TIMESTAMP;
    case TypeKind::Float32:
      return LogicalType::FLOAT;
    case TypeKind::Float64:
      return LogicalType::DOUBLE;
    case TypeKind::Varchar:
      return LogicalType::VARCHAR;
  }
  throw std::logic_error("ToLogicalType: unknown type");
}

plan::Constant ToConstant(const duckdb::Value& value) {
  plan::Constant constant;
  if (value.IsNull()) {
    constant.is_null = true;
    return constant;
  }
  switch (value.type().InternalType()) {
    case duckdb::PhysicalType::BOOL:
      constant.integer = value.GetValueUnsafe<bool>() ? 1 : 0;
      return constant;
    case duckdb::PhysicalType::INT8:
      constant.integer = int16_t{value.GetValueUnsafe<int8_t>()};
      return constant;
    case duckdb::PhysicalType::INT16:
      constant.integer = value.GetValueUnsafe<int16_t>();
      return constant;
    case duckdb::PhysicalType::INT32:
      constant.integer = value.GetValueUnsafe<int32_t>();
      return constant;
    case duckdb::PhysicalType::INT64:
      constant.integer = value.GetValueUnsafe<int64_t>();
      return constant;
    case duckdb::PhysicalType::INT128:
      constant.integer = ToInt128(value.GetValueUnsafe<duckdb::hugeint_t>());
      return constant;
    case duckdb::PhysicalType::UINT8:
      constant.integer = value.GetValueUnsafe<uint8_t>();
      return constant;
    case duckdb::PhysicalType::UINT16:
      constant.integer = value.GetValueUnsafe<uint16_t>();
      return constant;
    case duckdb::PhysicalType::UINT32:
      constant.integer = value.GetValueUnsafe<uint32_t>();
      return constant;
    case duckdb::PhysicalType::UINT64:
      constant.integer = value.GetValueUnsafe<uint64_t>();
      return constant;
    case duckdb::PhysicalType::UINT128:
      constant.integer = ToInt128(value.GetValueUnsafe<duckdb::uhugeint_t>());
      return constant;
    case duckdb::PhysicalType::FLOAT:
      constant.real = value.GetValueUnsafe<float>();
      return constant;
    case duckdb::PhysicalType::DOUBLE:
      constant.real = value.GetValueUnsafe<double>();
      return constant;
    case duckdb::PhysicalType::VARCHAR:
      constant.text = duckdb::StringValue::Get(value);
      return constant;
    default:
      throw std::logic_error("ToConstant: no constant of type " + value.type().ToString());
  }
}

Int128 ToInt128(duckdb::hugeint_t value) {
  const UInt128 upper = static_cast<uint64_t>(value.upper);
  return static_cast<Int128>(upper << 64 | value.lower);
}

Int128 ToInt128(duckdb::uhugeint_t value) {
  return static_cast<Int128>(static_cast<UInt128>(value.upper) << 64 | value.lower);
}

duckdb::hugeint_t ToHugeint(Int128 value) {
  return duckdb::hugeint_t(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
}

}  // namespace margay::integration
