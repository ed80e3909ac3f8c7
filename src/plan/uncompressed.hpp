#pragma once

#include "plan/expression.hpp"

namespace margay::plan {

//! The integer `x` of CAST(x - constant AS ...), which is how DuckDB compresses integers to their
//! distance from the lowest one; `expression` itself where it is something else.
const ExpressionPointer& Uncompressed(const ExpressionPointer& expression);

}  // namespace margay::plan
