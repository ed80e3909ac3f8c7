#include "optimize/rewrite/uncompressed.hpp"

#include <vector>

namespace margay::optimize {

using plan::ExpressionPointer;
using plan::Operation;

const ExpressionPointer& Uncompressed(const ExpressionPointer& expression) {
  if (expression->GetOperation() != Operation::Compress ||
      expression->Operand(0).GetOperation() != Operation::Subtract ||
      expression->Operand(0).Operand(1).GetOperation() != Operation::Constant ||
      expression->Operand(0).Operand(1).GetConstant().is_null ||
      !expression->Operand(0).GetType().IsIntegral())
    return expression;
  return expression->Operand(0).Operands()[0];
}

ExpressionPointer Decompressed(const ExpressionPointer& expression) {
  std::vector<ExpressionPointer> operands;
  for (const ExpressionPointer& operand : expression->Operands())
    operands.push_back(Decompressed(operand));
  const ExpressionPointer result = operands == expression->Operands()
                                       ? expression
                                       : plan::WithOperands(*expression, std::move(operands));
  if (result->GetOperation() != Operation::Add ||
      result->Operand(0).GetOperation() != Operation::Cast)
    return result;
  const ExpressionPointer& compressed = result->Operand(0).Operands()[0];
  const ExpressionPointer& original = Uncompressed(compressed);
  const bool is_whole = original != compressed && original->GetType() == result->GetType() &&
                        plan::SameExpression(compressed->Operand(0).Operand(1), result->Operand(1));
  return is_whole ? original : result;
}

}  // namespace margay::optimize
