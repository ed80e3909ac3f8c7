#pragma once

#include "plan/expression.hpp"

namespace margay::optimize {

//! The integer `x` of COMPRESS(x - constant AS ...), which is how DuckDB compresses integers to
//! their distance from the lowest one; `expression` itself where it is something else.
const plan::ExpressionPointer& Uncompressed(const plan::ExpressionPointer& expression);

//! `expression` with all integers as they were that are compressed and then decompressed in it: `x`
//! for CAST(COMPRESS(x - constant AS ...) AS ...) + constant.
plan::ExpressionPointer Decompressed(const plan::ExpressionPointer& expression);

}  // namespace margay::optimize
