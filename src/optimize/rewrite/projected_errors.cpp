#include "optimize/rewrite/projected_errors.hpp"

#include <algorithm>

namespace margay::optimize {

using plan::Conjunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::GivesBuildSide;
using plan::Node;
using plan::NodeKind;
using plan::NodePointer;
using plan::Operation;
using plan::TypeKind;
using plan::VisitColumns;

namespace {

//! Whether the operation itself can raise an error, whatever its operands do.
bool CanOperationRaise(const Expression& expression) {
  switch (expression.GetOperation()) {
    case Operation::Dictionary:
      // One that is increasing has a value for each string, and so have functions of text alone.
      return !expression.Function().IsIncreasing() &&
             !(expression.GetType().IsVarchar() && expression.Function().DependsOnTextAlone());
    case Operation::Add:
    case Operation::Subtract:
    case Operation::Multiply:
    case Operation::Divide:
    case Operation::IntegerDivide:
    case Operation::Modulo:
    case Operation::Negate:
    case Operation::Absolute:
    case Operation::Round:
    case Operation::Cast:
    case Operation::Compress:
    case Operation::DateTrunc:
    case Operation::AddMonths:
    case Operation::Fault:
      return true;
    default:
      return false;
  }
}

bool CanRaise(const Expression& expression) {
  return CanOperationRaise(expression) ||
         std::any_of(expression.Operands().begin(), expression.Operands().end(),
                     [](const ExpressionPointer& operand) { return CanRaise(*operand); });
}

//! How many of the first operands are computed for each row that the expression is computed for.
size_t SureOperands(const Expression& expression) {
  switch (expression.GetOperation()) {
    case Operation::And:
    case Operation::Or:
    case Operation::Case:
    case Operation::Coalesce:
      return 1;
    default:
      return expression.Operands().size();
  }
}

//! Marks the columns that `expression` reads for each row.
void MarkSure(const Expression& expression, std::vector<bool>& is_sure) {
  if (expression.GetOperation() == Operation::Column) {
    is_sure[expression.ColumnIndex()] = true;
  }
  for (size_t i = 0; i < SureOperands(expression); i++) {
    MarkSure(expression.Operand(i), is_sure);
  }
}

//! A condition that holds for each row, and computes `expression` to know.
ExpressionPointer IsComputed(const ExpressionPointer& expression) {
  return Expression::Make(
      Operation::Or, TypeKind::Boolean,
      {Expression::Make(Operation::IsNull, TypeKind::Boolean, {expression}),
       Expression::Make(Operation::IsNotNull, TypeKind::Boolean, {expression})});
}

//! `node`, a Project, over a filter that computes those of its expressions that are wanted and may
//! raise an error.
NodePointer Compute(const NodePointer& node, const std::vector<bool>& is_wanted) {
  std::vector<ExpressionPointer> conditions;
  for (size_t i = 0; i < is_wanted.size(); i++) {
    const ExpressionPointer& expression = node->Expressions()[i];
    if (is_wanted[i] && CanRaise(*expression)) {
      conditions.push_back(IsComputed(expression));
    }
  }
  if (conditions.empty()) {
    return node;
  }
  return Node::Project(Node::Filter(node->Input(), Conjunction(std::move(conditions))),
                       node->Expressions());
}

}  // namespace

NodePointer KeepProjectedErrors(const NodePointer& node,
                                const std::vector<ExpressionPointer>& readers) {
  if (node->Kind() != NodeKind::Project) {
    return node;
  }
  std::vector<bool> is_read(node->Expressions().size()), is_sure(is_read);
  for (const ExpressionPointer& reader : readers) {
    VisitColumns(*reader, [&](size_t column) { is_read[column] = true; });
    MarkSure(*reader, is_sure);
  }
  for (size_t i = 0; i < is_sure.size(); i++) {
    is_read[i] = is_read[i] && !is_sure[i];
  }
  return Compute(node, is_read);
}

NodePointer KeepAllProjectedErrors(const NodePointer& node) {
  switch (node->Kind()) {
    case NodeKind::Project:
      return Compute(Node::Project(KeepAllProjectedErrors(node->Input()), node->Expressions()),
                     std::vector<bool>(node->Expressions().size(), true));
    case NodeKind::Filter:
      return Node::Filter(KeepAllProjectedErrors(node->Input()), node->Predicate());
    case NodeKind::Join:
      if (!GivesBuildSide(node->GetJoinKind())) {
        return Node::Join(node->GetJoinKind(), KeepAllProjectedErrors(node->Input()), node->Build(),
                          node->Keys(), node->Residual());
      }
      return node;
    default:
      return node;
  }
}

}  // namespace margay::optimize
