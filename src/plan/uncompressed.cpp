#include "plan/uncompressed.hpp"

namespace margay::plan {

const ExpressionPointer& Uncompressed(const ExpressionPointer& expression) {
  if (expression->GetOperation() != Operation::Cast ||
      expression->Operand(0).GetOperation() != Operation::Subtract ||
      expression->Operand(0).Operand(1).GetOperation() != Operation::Constant ||
      !expression->Operand(0).GetType().IsIntegral())
    return expression;
  return expression->Operand(0).Operands()[0];
}

}  // namespace margay::plan
