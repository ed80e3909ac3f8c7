#pragma once

#include <optional>

#include "duckdb/common/types.hpp"
#include "duckdb/common/types/value.hpp"
#include "plan/expression.hpp"
#include "plan/type.hpp"

namespace margay::integration {

//! The plan's type of a DuckDB type. None for the types Margay doesn't compute with, for named ones
//! (JSON, CREATE TYPE), whose casts are not the built-in ones, and for VARCHAR with a collation, as
//! codes of a sorted dictionary compare in binary order.
std::optional<plan::Type> ToPlanType(const duckdb::LogicalType& type);

//! The DuckDB type that `type` stands for.
duckdb::LogicalType ToLogicalType(const plan::Type& type);

//! The value as a constant of its own type, which must be one that ToPlanType knows.
plan::Constant ToConstant(const duckdb::Value& value);

//! Between DuckDB's and the compiler's 128-bit integers; an unsigned one as its bit pattern.
Int128 ToInt128(duckdb::hugeint_t value);
Int128 ToInt128(duckdb::uhugeint_t value);
duckdb::hugeint_t ToHugeint(Int128 value);

}  // namespace margay::integration
