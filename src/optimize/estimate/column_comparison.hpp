#pragma once

#include <optional>
#include <utility>

#include "plan/expression.hpp"

namespace margay::optimize {

//! A comparison of an integral column with a constant.
struct ColumnComparison {
  const plan::Expression* column = nullptr;
  const plan::Expression* constant = nullptr;
  bool is_swapped = false;  //!< the constant comes first

  //! None if `comparison` is no such comparison.
  static std::optional<ColumnComparison> Of(const plan::Expression& comparison) {
    ColumnComparison result{&comparison.Operand(0), &comparison.Operand(1)};
    result.is_swapped = result.column->GetOperation() != plan::Operation::Column;
    if (result.is_swapped)
      std::swap(result.column, result.constant);
    if (result.column->GetOperation() != plan::Operation::Column ||
        result.constant->GetOperation() != plan::Operation::Constant ||
        !result.column->GetType().IsIntegral()) {
      return std::nullopt;
    }
    return result;
  }

  //! Whether `operation` holds for values up to the constant, rather than from it on.
  bool KeepsBelow(plan::Operation operation) const {
    return (operation == plan::Operation::Less || operation == plan::Operation::LessOrEqual) !=
           is_swapped;
  }
};

//! Whether `operation` is one of the four comparisons by order.
inline bool ComparesOrder(plan::Operation operation) {
  return operation == plan::Operation::Less || operation == plan::Operation::LessOrEqual ||
         operation == plan::Operation::Greater || operation == plan::Operation::GreaterOrEqual;
}

}  // namespace margay::optimize
