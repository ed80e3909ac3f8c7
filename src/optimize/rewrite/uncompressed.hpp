#pragma once

#include "plan/expression.hpp"

namespace margay::optimize {

//! The integer `x` of CAST(x - constant AS ...), which is how DuckDB compresses integers to their
//! distance from the lowest one; `expression` itself where it is something else.
const plan::ExpressionPointer& Uncompressed(const plan::ExpressionPointer& expression);

}  // namespace margay::optimize
