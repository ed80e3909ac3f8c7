#include "optimize/rewrite/uncompressed.hpp"

namespace margay::optimize {

using plan::ExpressionPointer;
using plan::Operation;

const ExpressionPointer& Uncompressed(const ExpressionPointer& expression) {
  if (expression->GetOperation() != Operation::Cast ||
      expression->Operand(0).GetOperation() != Operation::Subtract ||
      expression->Operand(0).Operand(1).GetOperation() != Operation::Constant ||
      !expression->Operand(0).GetType().IsIntegral())
    return expression;
  return expression->Operand(0).Operands()[0];
}

}  // namespace margay::optimize
