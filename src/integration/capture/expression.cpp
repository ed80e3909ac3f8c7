#include "integration/capture/expression.hpp"

#include <string_view>
#include <utility>

#include "duckdb/common/string_util.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/settings.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "integration/capture/dictionary_expression.hpp"
#include "integration/type_conversion.hpp"

// What DuckDB 1.5.6 checks, and what the plan's "out of the result type's range is an error" makes
// of it (paths are DuckDB's; arithmetic.cpp is src/function/scalar/operator/arithmetic.cpp):
//
// - Integer + - *: checked against the type's range (arithmetic.cpp:350), unless statistics prove
//   that nothing can overflow. The same bound.
// - DECIMAL + -: the result is one digit wider than the operands and not checked. Where that would
//   cross from 18 to 19 digits, or 38, the width stays and the digits are checked: |x| < 10^18 or
//   10^38 (BindDecimalArithmetic, arithmetic.cpp:172). The operands are of the result's scale, but
//   perhaps of a smaller width. The same bound: the range of a DECIMAL is its digits.
// - DECIMAL *: the widths and scales add up, with the same two borders (BindDecimalMultiply). Not
//   checked below them, where the product of two values within their digits always fits.
// - Negation is only checked for the smallest value of a signed integer. An unsigned -x wraps
//   around without an error (negate.hpp), so that it is refused here.
// - DATE +- INTEGER: infinite dates stay as they are; a result beyond 32 bits or equal to an
//   infinity is an error (add.cpp:157, subtract.cpp:34). DATE - DATE is a plain difference.
// - // and %: by zero gives NULL; the smallest value by -1 is an error, for % too
//   (BinaryNumericDivideWrapper). % of DECIMAL is refused: the plan has it for integers only.
// - / of floats follows IEEE 754 (x / 0 is an infinity or NaN) unless ieee_floating_point_ops is
//   off; then, and for // of floats always, a divisor of zero gives NULL. The plan's Divide leaves
//   both to DuckDB.
// - Errors of expressions whose rows are filtered out, or of a CASE branch not taken, can only make
//   the device give up more often than DuckDB: DuckDB then has the last word.

namespace margay::integration {

namespace {

using duckdb::ExpressionType;
using plan::Operation;
using plan::TypeKind;

CapturedExpression Accept(plan::ExpressionPointer expression) {
  return {std::move(expression), {}};
}

CapturedExpression RefuseType(const duckdb::Expression& expression) {
  return CapturedExpression::Refuse("the type " + ReturnType(expression).ToString() + " of " +
                                    expression.ToString() + " is not supported yet");
}

CapturedExpression NotSupported(const std::string& what) {
  return CapturedExpression::Refuse(what + " is not supported yet");
}

bool IsUnsigned(const plan::Type& type) {
  return type.IsInteger() && type.LowestValue() == 0;
}

bool IsDecimal(const plan::Type& type) {
  return type.kind == TypeKind::Decimal;
}

bool IsNumber(const plan::Type& type) {
  return type.IsInteger() || IsDecimal(type) || type.IsFloat();
}

bool IsTemporal(const plan::Type& type) {
  return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp;
}

//! Whether the plan has a cast between two types.
bool CanCast(const plan::Type& from, const plan::Type& to) {
  if (IsTemporal(from) || IsTemporal(to)) {
    return IsTemporal(from) && IsTemporal(to);
  }
  return (IsNumber(from) || from.IsBoolean()) && (IsNumber(to) || to.IsBoolean());
}

std::optional<Operation> ComparisonOperation(ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL:
      return Operation::Equal;
    case ExpressionType::COMPARE_NOTEQUAL:
      return Operation::NotEqual;
    case ExpressionType::COMPARE_LESSTHAN:
      return Operation::Less;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return Operation::LessOrEqual;
    case ExpressionType::COMPARE_GREATERTHAN:
      return Operation::Greater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return Operation::GreaterOrEqual;
    case ExpressionType::COMPARE_DISTINCT_FROM:
      return Operation::DistinctFrom;
    case ExpressionType::COMPARE_NOT_DISTINCT_FROM:
      return Operation::NotDistinctFrom;
    default:
      return std::nullopt;
  }
}

constexpr std::string_view kNotLike = "!~~";

//! The operation of a function of strings, by DuckDB's name for it. LIKE with an escape character
//! is another function.
std::optional<Operation> TextOperation(std::string_view name) {
  if (name == "~~" || name == kNotLike) {
    return Operation::Like;
  }
  if (name == "prefix" || name == "starts_with" || name == "^@") {
    return Operation::Prefix;
  }
  if (name == "suffix" || name == "ends_with") {
    return Operation::Suffix;
  }
  if (name == "contains") {
    return Operation::Contains;
  }
  if (name == "length" || name == "len" || name == "char_length" || name == "character_length") {
    return Operation::Length;
  }
  if (name == "strlen") {
    return Operation::ByteLength;
  }
  return std::nullopt;
}

//! Whether it is a call of error(), of whatever type: what DuckDB puts where a sub-query gives more
//! rows than it may.
bool RaisesError(const duckdb::Expression& expression) {
  if (KindOf(expression) == ExpressionKind::Cast) {
    return RaisesError(PartsOfCast(expression).input);
  }
  return KindOf(expression) == ExpressionKind::Function && FunctionName(expression) == "error";
}

bool IsNullTest(const duckdb::Expression& expression) {
  return expression.GetExpressionType() == ExpressionType::OPERATOR_IS_NULL ||
         expression.GetExpressionType() == ExpressionType::OPERATOR_IS_NOT_NULL;
}

//! A NULL test of a plain column needs no dictionary.
bool IsNullTestOfColumn(const duckdb::Expression& expression) {
  return IsNullTest(expression) && IsColumnReference(*ArgumentsOf(expression)[0]);
}

//! A comparison of captured operands; they must be of one type that the device compares.
CapturedExpression MakeComparison(Operation operation, const plan::ExpressionPointer& left,
                                  const plan::ExpressionPointer& right) {
  if (left->GetType().kind == TypeKind::UInt128) {
    return NotSupported("a comparison of UHUGEINT");
  }
  if (left->GetType() != right->GetType()) {
    return NotSupported("a comparison of " + left->GetType().ToString() + " with " +
                        right->GetType().ToString());
  }
  return Accept(plan::Expression::Make(operation, TypeKind::Boolean, {left, right}));
}

}  // namespace

CapturedExpression CaptureComparison(ExpressionType comparison, const plan::ExpressionPointer& left,
                                     const plan::ExpressionPointer& right) {
  const std::optional<Operation> operation = ComparisonOperation(comparison);
  if (!operation) {
    return NotSupported("the comparison " + duckdb::ExpressionTypeToString(comparison));
  }
  return MakeComparison(*operation, left, right);
}

CapturedExpression ExpressionCapture::Capture(const duckdb::Expression& expression) const {
  if (IsColumnReference(expression)) {
    return Column(expression);
  }
  if (const std::optional<size_t> base = origins_.DecompressedBase(expression)) {
    const CapturedColumn& column = scope_.columns[*base];
    return Accept(plan::Expression::Column(*base, column.type, column.name));
  }
  if (text_ && KindOf(expression) == ExpressionKind::Reference) {
    return Accept(
        plan::Expression::Column(*text_, scope_.columns[*text_].type, scope_.columns[*text_].name));
  }
  if (KindOf(expression) == ExpressionKind::Parameter) {
    return CapturedExpression::Refuse("the parameter " + expression.ToString() +
                                      " has no value yet");
  }
  const std::optional<plan::Type> type = ToPlanType(ReturnType(expression));
  if (!type) {
    return ReturnType(expression).id() == duckdb::LogicalTypeId::VARCHAR
               ? RefuseText("a VARCHAR with a collation", expression)
               : RefuseType(expression);
  }
  if (RaisesError(expression)) {
    return Accept(plan::Expression::Make(Operation::Fault, *type, {}));
  }
  if (const std::optional<size_t> base = text_ ? std::nullopt : origins_.DictionaryBase(expression);
      base && !IsNullTestOfColumn(expression)) {
    const CapturedColumn& column = scope_.columns[*base];
    return Accept(plan::Expression::Dictionary(
        std::make_shared<DictionaryExpression>(context_, origins_.OverBase(expression)),
        plan::Expression::Column(*base, column.type, column.name),
        ExpressionCapture(context_, scope_, *base).Capture(expression).expression));
  }

  switch (KindOf(expression)) {
    case ExpressionKind::Constant:
      return Constant(expression);
    case ExpressionKind::Comparison:
      return Comparison(expression);
    case ExpressionKind::Between:
      return Between(expression);
    case ExpressionKind::Conjunction:
      return Conjunction(expression);
    case ExpressionKind::Operator:
      return Operator(expression);
    case ExpressionKind::Case:
      return Case(expression);
    case ExpressionKind::Cast:
      return Cast(expression);
    case ExpressionKind::Function:
      return Function(expression);
    default:
      return NotSupported("the expression " + expression.ToString());
  }
}

CapturedExpression ExpressionCapture::RefuseText(const std::string& what,
                                                 const duckdb::Expression& expression) const {
  CapturedExpression result = NotSupported(what + ", " + expression.ToString() + ",");
  duckdb::ExpressionIterator::VisitExpressionClass(
      expression, duckdb::ExpressionClass::BOUND_COLUMN_REF,
      [&](const duckdb::Expression& reference) {
        if (CapturedExpression column = Column(reference); !column) {
          result = std::move(column);
        }
      });
  return result;
}

CapturedExpression ExpressionCapture::Column(const duckdb::Expression& expression) const {
  const CapturedBinding* found = scope_.Find(expression);
  if (found == nullptr) {
    return CapturedExpression::Refuse("the column " + expression.ToString() +
                                      " comes from elsewhere");
  }
  if (!found->column) {
    return CapturedExpression::Refuse(found->reason);
  }
  const CapturedColumn& column = scope_.columns[*found->column];
  if (text_ && column.origin && column.origin->expression) {
    return Capture(*column.origin->expression);
  }
  const size_t number = text_ && column.origin ? column.origin->base : *found->column;
  return Accept(plan::Expression::Column(number, column.type, scope_.columns[number].name));
}

CapturedExpression ExpressionCapture::Constant(const duckdb::Expression& expression) const {
  const plan::Type type = *ToPlanType(ReturnType(expression));
  if (type.IsVarchar() && !text_) {
    return NotSupported("the VARCHAR constant " + expression.ToString() + " on its own");
  }
  return Accept(plan::Expression::MakeConstant(ToConstant(ValueOf(expression)), type));
}

CapturedExpression ExpressionCapture::Comparison(const duckdb::Expression& expression) const {
  const ComparisonParts comparison = PartsOfComparison(expression);
  CapturedExpression left = Capture(comparison.left);
  if (!left) {
    return left;
  }
  CapturedExpression right = Capture(comparison.right);
  if (!right) {
    return right;
  }
  const std::optional<Operation> operation = ComparisonOperation(expression.GetExpressionType());
  if (!operation) {
    return NotSupported("the comparison " + expression.ToString());
  }
  return MakeComparison(*operation, left.expression, right.expression);
}

CapturedExpression ExpressionCapture::Between(const duckdb::Expression& expression) const {
  const BetweenParts between = PartsOfBetween(expression);
  CapturedExpression input = Capture(between.input);
  if (!input) {
    return input;
  }
  CapturedExpression lower = Capture(between.lower);
  if (!lower) {
    return lower;
  }
  CapturedExpression upper = Capture(between.upper);
  if (!upper) {
    return upper;
  }
  lower = MakeComparison(between.lower_inclusive ? Operation::GreaterOrEqual : Operation::Greater,
                         input.expression, lower.expression);
  if (!lower) {
    return lower;
  }
  upper = MakeComparison(between.upper_inclusive ? Operation::LessOrEqual : Operation::Less,
                         input.expression, upper.expression);
  if (!upper) {
    return upper;
  }
  return Accept(plan::Expression::Make(Operation::And, TypeKind::Boolean,
                                       {lower.expression, upper.expression}));
}

std::optional<CapturedExpression> ExpressionCapture::CaptureOperands(
    const Expressions& children, std::vector<plan::ExpressionPointer>& operands) const {
  for (const auto& child : children) {
    CapturedExpression operand = Capture(*child);
    if (!operand) {
      return operand;
    }
    operands.push_back(std::move(operand.expression));
  }
  return std::nullopt;
}

CapturedExpression ExpressionCapture::Conjunction(const duckdb::Expression& expression) const {
  std::vector<plan::ExpressionPointer> operands;
  if (auto refused = CaptureOperands(ArgumentsOf(expression), operands)) {
    return *refused;
  }
  if (operands.size() == 1) {
    return Accept(operands[0]);
  }
  const bool is_and = expression.GetExpressionType() == ExpressionType::CONJUNCTION_AND;
  return Accept(plan::Expression::Make(is_and ? Operation::And : Operation::Or, TypeKind::Boolean,
                                       std::move(operands)));
}

CapturedExpression ExpressionCapture::Operator(const duckdb::Expression& expression) const {
  const plan::Type type = *ToPlanType(ReturnType(expression));
  const Expressions& arguments = ArgumentsOf(expression);
  if (type.IsVarchar()) {
    return RefuseText("a VARCHAR of several columns", expression);
  }
  const ExpressionType kind = expression.GetExpressionType();
  switch (kind) {
    case ExpressionType::OPERATOR_NOT:
    case ExpressionType::OPERATOR_IS_NULL:
    case ExpressionType::OPERATOR_IS_NOT_NULL:
    case ExpressionType::OPERATOR_COALESCE:
    case ExpressionType::COMPARE_IN:
    case ExpressionType::COMPARE_NOT_IN:
      break;
    default:
      return NotSupported("the operator " + duckdb::ExpressionTypeToString(kind));
  }
  const bool is_in = kind == ExpressionType::COMPARE_IN || kind == ExpressionType::COMPARE_NOT_IN;
  if (is_in && ReturnType(*arguments[0]).id() == duckdb::LogicalTypeId::VARCHAR && !text_) {
    return RefuseText("an IN of VARCHAR columns", expression);
  }

  std::vector<plan::ExpressionPointer> operands;
  for (const auto& child : arguments) {
    CapturedExpression operand = Capture(*child);
    if (!operand) {
      return operand;
    }
    if (operand.expression->GetType().kind == TypeKind::UInt128) {
      return NotSupported("computing with UHUGEINT");
    }
    operands.push_back(std::move(operand.expression));
  }
  for (const plan::ExpressionPointer& operand : operands) {
    if (is_in && operand->GetType() != operands[0]->GetType()) {
      return NotSupported("an IN of " + operands[0]->GetType().ToString() + " with " +
                          operand->GetType().ToString());
    }
    if (kind == ExpressionType::OPERATOR_COALESCE && operand->GetType() != type) {
      return NotSupported("a COALESCE of " + operand->GetType().ToString() + " to " +
                          type.ToString());
    }
  }

  switch (kind) {
    case ExpressionType::OPERATOR_NOT:
      return Accept(plan::Expression::Make(Operation::Not, type, std::move(operands)));
    case ExpressionType::OPERATOR_IS_NULL:
      return Accept(plan::Expression::Make(Operation::IsNull, type, std::move(operands)));
    case ExpressionType::OPERATOR_IS_NOT_NULL:
      return Accept(plan::Expression::Make(Operation::IsNotNull, type, std::move(operands)));
    case ExpressionType::OPERATOR_COALESCE:
      return Accept(plan::Expression::Make(Operation::Coalesce, type, std::move(operands)));
    case ExpressionType::COMPARE_IN:
      return Accept(plan::Expression::Make(Operation::In, type, std::move(operands)));
    default:
      return Accept(plan::Expression::Make(
          Operation::Not, type,
          {plan::Expression::Make(Operation::In, type, std::move(operands))}));
  }
}

CapturedExpression ExpressionCapture::Case(const duckdb::Expression& expression) const {
  const plan::Type type = *ToPlanType(ReturnType(expression));
  if (type.IsVarchar()) {
    return RefuseText("a VARCHAR of several columns", expression);
  }
  if (type.kind == TypeKind::UInt128) {
    return NotSupported("computing with UHUGEINT");
  }
  const CaseParts conditional = PartsOfCase(expression);
  std::vector<plan::ExpressionPointer> operands;
  for (const CaseParts::Branch& branch : conditional.branches) {
    CapturedExpression when = Capture(branch.when);
    if (!when) {
      return when;
    }
    CapturedExpression then = Capture(branch.then);
    if (!then) {
      return then;
    }
    operands.push_back(std::move(when.expression));
    operands.push_back(std::move(then.expression));
  }
  CapturedExpression otherwise = Capture(conditional.otherwise);
  if (!otherwise) {
    return otherwise;
  }
  operands.push_back(std::move(otherwise.expression));

  for (size_t i = 0; i < operands.size(); i++) {
    const bool is_condition = i % 2 == 0 && i + 1 < operands.size();
    const plan::Type& found = operands[i]->GetType();
    if (is_condition ? !found.IsBoolean() : found != type) {
      return NotSupported("a CASE of " + found.ToString() + " to " + type.ToString());
    }
  }
  return Accept(plan::Expression::Make(Operation::Case, type, std::move(operands)));
}

CapturedExpression ExpressionCapture::Cast(const duckdb::Expression& expression) const {
  const CastParts cast = PartsOfCast(expression);
  const plan::Type type = *ToPlanType(ReturnType(expression));
  CapturedExpression operand = Capture(cast.input);
  if (!operand) {
    return operand;
  }
  const plan::Type& from = operand.expression->GetType();
  if (from == type) {
    return operand;
  }
  if (!CanCast(from, type)) {
    return NotSupported("a cast from " + from.ToString() + " to " + type.ToString());
  }
  return Accept(plan::Expression::Make(cast.is_try ? Operation::TryCast : Operation::Cast, type,
                                       {std::move(operand.expression)}));
}

CapturedExpression ExpressionCapture::Function(const duckdb::Expression& expression) const {
  const std::string& name = FunctionName(expression);
  const Expressions& arguments = ArgumentsOf(expression);
  if (std::optional<CapturedExpression> captured = DateFunction(expression)) {
    return std::move(*captured);
  }
  if ((name == "+" || name == "add") && arguments.size() == 1) {
    return Capture(*arguments[0]);
  }
  if ((name == "+" || name == "add") && arguments.size() == 2) {
    return Arithmetic(Operation::Add, expression);
  }
  if ((name == "-" || name == "subtract") && arguments.size() == 1) {
    return Arithmetic(Operation::Negate, expression);
  }
  if ((name == "-" || name == "subtract") && arguments.size() == 2) {
    return Arithmetic(Operation::Subtract, expression);
  }
  if ((name == "*" || name == "multiply") && arguments.size() == 2) {
    return Arithmetic(Operation::Multiply, expression);
  }
  if (name == "/" && arguments.size() == 2) {
    return Arithmetic(Operation::Divide, expression);
  }
  if ((name == "//" || name == "divide") && arguments.size() == 2) {
    return ReturnType(expression).IsFloating() ? Arithmetic(Operation::Divide, expression)
                                               : Arithmetic(Operation::IntegerDivide, expression);
  }
  if ((name == "%" || name == "mod") && arguments.size() == 2) {
    return Arithmetic(Operation::Modulo, expression);
  }
  if (name == "constant_or_null") {
    return ConstantOrNull(expression);
  }
  if (!arguments.empty() && ReturnType(*arguments[0]).id() == duckdb::LogicalTypeId::VARCHAR) {
    return TextFunction(expression);
  }
  if (duckdb::StringUtil::StartsWith(name, "__internal_compress_integral_")) {
    return Compress(expression);
  }
  if (duckdb::StringUtil::StartsWith(name, "__internal_decompress_integral_")) {
    return Decompress(expression);
  }
  if (std::optional<CapturedExpression> captured = MathFunction(expression)) {
    return std::move(*captured);
  }
  return NotSupported("the function " + name);
}

CapturedExpression ExpressionCapture::TextFunction(const duckdb::Expression& expression) const {
  const std::string& name = FunctionName(expression);
  // Of a computed string: no query names the functions that DuckDB puts around keys.
  if (duckdb::StringUtil::StartsWith(name, "__internal_")) {
    CapturedExpression operand = Capture(*ArgumentsOf(expression)[0]);
    return operand ? NotSupported("a computed string as a key") : operand;
  }
  if (!text_) {
    return NotSupported("the function " + name);
  }
  if (std::optional<CapturedExpression> slice = SliceFunction(expression)) {
    return std::move(*slice);
  }
  const std::optional<Operation> operation = TextOperation(name);
  if (!operation) {
    return NotSupported("the function " + name);
  }
  const bool is_length = *operation == Operation::Length || *operation == Operation::ByteLength;
  const plan::Type type = *ToPlanType(ReturnType(expression));
  const Expressions& arguments = ArgumentsOf(expression);
  if (arguments.size() != (is_length ? 1 : 2) ||
      type.kind != (is_length ? TypeKind::Int64 : TypeKind::Boolean)) {
    return NotSupported("the function " + name + " of these types");
  }
  std::vector<plan::ExpressionPointer> operands;
  if (auto refused = CaptureOperands(arguments, operands)) {
    return *refused;
  }
  if (!is_length &&
      (!operands[1]->GetType().IsVarchar() || operands[1]->GetOperation() != Operation::Constant ||
       operands[1]->GetConstant().is_null)) {
    return NotSupported("the function " + name + " of a string that is not constant");
  }
  plan::ExpressionPointer result = plan::Expression::Make(*operation, type, std::move(operands));
  if (name == kNotLike) {
    result = plan::Expression::Make(Operation::Not, type, {std::move(result)});
  }
  return Accept(std::move(result));
}

CapturedExpression ExpressionCapture::Arithmetic(Operation operation,
                                                 const duckdb::Expression& expression) const {
  const plan::Type type = *ToPlanType(ReturnType(expression));
  std::vector<plan::ExpressionPointer> operands;
  if (auto refused = CaptureOperands(ArgumentsOf(expression), operands)) {
    return *refused;
  }
  std::string operand_types;
  for (const plan::ExpressionPointer& operand : operands) {
    operand_types += (operand_types.empty() ? "" : ", ") + operand->GetType().ToString();
  }
  const auto make = [&] {
    return Accept(plan::Expression::Make(operation, type, std::move(operands)));
  };
  const auto refuse = [&] {
    return NotSupported(std::string(plan::OperationName(operation)) + " of " + operand_types);
  };

  if (operation == Operation::Negate) {
    return operands[0]->GetType() == type && IsNumber(type) && !IsUnsigned(type) ? make()
                                                                                 : refuse();
  }
  const plan::Type& left = operands[0]->GetType();
  const plan::Type& right = operands[1]->GetType();
  if (type.kind == TypeKind::Int64 && operation == Operation::Subtract &&
      left.kind == TypeKind::Date && right.kind == TypeKind::Date) {
    return make();
  }
  if (type.kind == TypeKind::Date) {
    const bool days_last = left.kind == TypeKind::Date && right.kind == TypeKind::Int32;
    const bool days_first = left.kind == TypeKind::Int32 && right.kind == TypeKind::Date;
    return days_last || (days_first && operation == Operation::Add) ? make() : refuse();
  }
  if (IsDecimal(type)) {
    if (!IsDecimal(left) || !IsDecimal(right)) {
      return refuse();
    }
    switch (operation) {
      case Operation::Add:
      case Operation::Subtract:
        return left.scale == type.scale && right.scale == type.scale ? make() : refuse();
      case Operation::Multiply:
        return left.scale + right.scale == type.scale ? make() : refuse();
      default:
        return refuse();
    }
  }
  if (left != type || right != type || !IsNumber(type)) {
    return refuse();
  }
  const bool for_integers = operation == Operation::IntegerDivide || operation == Operation::Modulo;
  const bool for_floats = operation == Operation::Divide;
  return (for_integers && !type.IsInteger()) || (for_floats && !type.IsFloat()) ? refuse() : make();
}

//! `x - min`, in the type of x, which is wider than the result: DuckDB's statistics promise that
//! the difference fits the result.
CapturedExpression ExpressionCapture::Compress(const duckdb::Expression& expression) const {
  const plan::Type type = *ToPlanType(ReturnType(expression));
  const Expressions& arguments = ArgumentsOf(expression);
  CapturedExpression value = Capture(*arguments[0]);
  if (!value) {
    return value;
  }
  CapturedExpression lowest = Capture(*arguments[1]);
  if (!lowest) {
    return lowest;
  }
  const plan::Type& from = value.expression->GetType();
  if (!from.IsInteger() || lowest.expression->GetType() != from || !type.IsInteger()) {
    return NotSupported("compressing " + from.ToString());
  }
  return Accept(plan::Expression::Make(
      Operation::Compress, type,
      {plan::Expression::Make(Operation::Subtract, from, {value.expression, lowest.expression})}));
}

//! `x + min`, in the type of the result, which is wider than x.
CapturedExpression ExpressionCapture::Decompress(const duckdb::Expression& expression) const {
  const plan::Type type = *ToPlanType(ReturnType(expression));
  const Expressions& arguments = ArgumentsOf(expression);
  CapturedExpression value = Capture(*arguments[0]);
  if (!value) {
    return value;
  }
  CapturedExpression lowest = Capture(*arguments[1]);
  if (!lowest) {
    return lowest;
  }
  if (!value.expression->GetType().IsInteger() || lowest.expression->GetType() != type ||
      !type.IsInteger()) {
    return NotSupported("decompressing to " + type.ToString());
  }
  return Accept(plan::Expression::Make(
      Operation::Add, type,
      {plan::Expression::Make(Operation::Cast, type, {value.expression}), lowest.expression}));
}

//! The first argument, or NULL where one of the others is NULL.
CapturedExpression ExpressionCapture::ConstantOrNull(const duckdb::Expression& expression) const {
  const plan::Type type = *ToPlanType(ReturnType(expression));
  const Expressions& arguments = ArgumentsOf(expression);
  CapturedExpression value = Capture(*arguments[0]);
  if (!value) {
    return value;
  }
  if (value.expression->GetType() != type) {
    return NotSupported("the function constant_or_null of " + type.ToString());
  }
  std::vector<plan::ExpressionPointer> operands;
  for (size_t i = 1; i < arguments.size(); i++) {
    CapturedExpression operand = Capture(*arguments[i]);
    if (!operand) {
      return operand;
    }
    operands.push_back(
        plan::Expression::Make(Operation::IsNull, TypeKind::Boolean, {operand.expression}));
    operands.push_back(plan::Expression::Null(type));
  }
  if (operands.empty()) {
    return value;
  }
  operands.push_back(std::move(value.expression));
  return Accept(plan::Expression::Make(Operation::Case, type, std::move(operands)));
}

}  // namespace margay::integration
