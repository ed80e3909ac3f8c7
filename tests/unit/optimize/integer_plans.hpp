// Pieces of plans over columns of integers.
#pragma once

#include <string>

#include "plan/node.hpp"

namespace margay::optimize {

inline constexpr plan::TypeKind kInteger = plan::TypeKind::Int32;

inline plan::ExpressionPointer Column(size_t number) {
  return plan::Expression::Column(number, kInteger, "c" + std::to_string(number));
}

inline plan::ExpressionPointer Compare(plan::Operation operation, size_t column, int64_t value) {
  return plan::Expression::Make(operation, plan::TypeKind::Boolean,
                                {Column(column), plan::Expression::Integer(value, kInteger)});
}

}  // namespace margay::optimize
