#include "plan/verify.hpp"

#include <cmath>
#include <stdexcept>

namespace margay::plan {

namespace {

bool IsDecimal(const Type& type) {
  return type.kind == TypeKind::Decimal;
}

bool IsNumeric(const Type& type) {
  return type.IsInteger() || IsDecimal(type) || type.IsFloat();
}

bool IsTemporal(const Type& type) {
  return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp;
}

//! One type, where decimals of one scale may differ in width: DuckDB adds those as they are.
bool SameButForWidth(const Type& left, const Type& right) {
  return left.kind == right.kind && left.scale == right.scale;
}

bool CanCast(const Type& from, const Type& to) {
  if (IsTemporal(from) || IsTemporal(to)) {
    return IsTemporal(from) && IsTemporal(to);
  }
  return (IsNumeric(from) || from.IsBoolean()) && (IsNumeric(to) || to.IsBoolean());
}

//! Checks one expression; its methods throw with a sentence that shows it.
class Verifier {
 public:
  Verifier(const Expression& expression, const std::vector<Type>& input_types)
      : expression_(expression), type_(expression.GetType()), input_types_(input_types) {}

  void Run() const {
    VerifyType(type_);
    for (const ExpressionPointer& operand : expression_.Operands()) {
      Verify(*operand, input_types_);
      Require(operand->GetType().kind != TypeKind::UInt128, "a UHUGEINT is never computed with");
    }

    switch (expression_.GetOperation()) {
      case Operation::Column:
        return Column();
      case Operation::Constant:
        return ConstantValue();
      case Operation::Add:
      case Operation::Subtract:
        return AddOrSubtract();
      case Operation::Multiply:
        return Multiply();
      case Operation::Divide:
        RequireOperands(2);
        Require(type_.IsFloat(), "the division must be of floats");
        return RequireOneType();
      case Operation::IntegerDivide:
      case Operation::Modulo:
        RequireOperands(2);
        Require(type_.IsInteger(), "the operands must be integers");
        return RequireOneType();
      case Operation::Negate:
      case Operation::Absolute:
        RequireOperands(1);
        Require(IsNumeric(type_), "the operand must be a number");
        return RequireOneType();
      case Operation::Sign:
        RequireOperands(1);
        Require(type_.kind == TypeKind::Int8, "the result must be a TINYINT");
        return Require(IsNumeric(OperandType(0)), "the operand must be a number");
      case Operation::Round:
      case Operation::Floor:
      case Operation::Ceiling:
      case Operation::Truncate:
        return Rounding();
      case Operation::Greatest:
      case Operation::Least:
        Require(Count() >= 1, "at least one operand is needed");
        Require(!type_.IsVarchar(), "the operands must not be strings");
        return RequireOneType();
      case Operation::Equal:
      case Operation::NotEqual:
      case Operation::Less:
      case Operation::LessOrEqual:
      case Operation::Greater:
      case Operation::GreaterOrEqual:
      case Operation::DistinctFrom:
      case Operation::NotDistinctFrom:
        RequireOperands(2);
        return RequireComparable();
      case Operation::And:
      case Operation::Or:
        Require(Count() >= 2, "at least two operands are needed");
        return RequireBooleans();
      case Operation::Not:
        RequireOperands(1);
        return RequireBooleans();
      case Operation::IsNull:
      case Operation::IsNotNull:
        RequireOperands(1);
        return Require(type_.IsBoolean(), "the result must be a BOOLEAN");
      case Operation::Case:
        return Case();
      case Operation::Coalesce:
        Require(Count() >= 1, "at least one operand is needed");
        return RequireOneType();
      case Operation::In:
        Require(Count() >= 2, "at least one operand to compare with is needed");
        return RequireComparable();
      case Operation::Cast:
      case Operation::TryCast:
        RequireOperands(1);
        return Require(CanCast(OperandType(0), type_),
                       "there is no such cast from " + OperandType(0).ToString());
      case Operation::Compress:
        RequireOperands(1);
        return Require(type_.IsInteger() && OperandType(0).IsInteger(),
                       "the operand and the result must be integers");
      case Operation::Like:
      case Operation::Prefix:
      case Operation::Suffix:
      case Operation::Contains:
        return TextPredicate();
      case Operation::Length:
      case Operation::ByteLength:
      case Operation::TextHash:
        RequireOperands(1);
        Require(OperandType(0).IsVarchar(), "the operand must be a VARCHAR");
        return Require(type_.kind == TypeKind::Int64, "the result must be a BIGINT");
      case Operation::Slice:
        return Slice();
      case Operation::TrimBegin:
      case Operation::TrimEnd:
        RequireOperands(2);
        RequireOneType();
        Require(type_.IsVarchar(), "the result must be a VARCHAR");
        return RequireConstant(1);
      case Operation::DatePart:
        Require(type_.kind == TypeKind::Int64, "the result must be a BIGINT");
        return PartOfOperand();
      case Operation::DateTrunc:
        Require(IsTruncatable(expression_.Part()), "there is no begin of such a part");
        RequireOneType();
        return PartOfOperand();
      case Operation::AddMonths:
        RequireOperands(2);
        Require(IsTemporal(type_) && OperandType(0) == type_, "only dates and timestamps move");
        return Require(OperandType(1).kind == TypeKind::Int32, "months are an INTEGER");
      case Operation::Dictionary:
        return Dictionary();
      case Operation::RowNumber:
        RequireOperands(1);
        return Require(type_.kind == TypeKind::Int64, "the result must be a BIGINT");
      case Operation::Fault:
        return RequireOperands(0);
    }
    throw std::logic_error("Verify: unknown operation");
  }

 private:
  size_t Count() const { return expression_.Operands().size(); }
  const Type& OperandType(size_t i) const { return expression_.Operand(i).GetType(); }

  void Require(bool condition, const std::string& sentence) const {
    if (!condition) {
      throw std::logic_error("Verify: " + expression_.ToString() + " of type " + type_.ToString() +
                             ": " + sentence);
    }
  }

  void RequireOperands(size_t count) const {
    Require(Count() == count,
            "it has " + std::to_string(Count()) + " operands, not " + std::to_string(count));
  }

  void RequireOneType() const {
    for (size_t i = 0; i < Count(); i++) {
      Require(OperandType(i) == type_,
              "operand " + std::to_string(i) + " has the type " + OperandType(i).ToString());
    }
  }

  void RequireBooleans() const {
    Require(type_.IsBoolean(), "the result must be a BOOLEAN");
    RequireOneType();
  }

  void RequireComparable() const {
    Require(type_.IsBoolean(), "the result must be a BOOLEAN");
    for (size_t i = 1; i < Count(); i++) {
      Require(OperandType(i) == OperandType(0),
              "it compares " + OperandType(0).ToString() + " with " + OperandType(i).ToString());
    }
  }

  void Column() const {
    const size_t column = expression_.ColumnIndex();
    Require(column < input_types_.size(), "there is no input column " + std::to_string(column) +
                                              " of " + std::to_string(input_types_.size()));
    Require(input_types_[column] == type_, "input column " + std::to_string(column) +
                                               " has the type " + input_types_[column].ToString());
  }

  void ConstantValue() const {
    const Constant& constant = expression_.GetConstant();
    if (constant.is_null) {
      return;
    }
    if (type_.kind == TypeKind::Float32) {
      Require(std::isnan(constant.real) ||
                  static_cast<double>(static_cast<float>(constant.real)) == constant.real,
              "the value is not a FLOAT");
    } else if (type_.IsIntegral() && type_.kind != TypeKind::UInt128) {
      Require(constant.integer >= type_.LowestValue() && constant.integer <= type_.HighestValue(),
              "the value is out of range");
    }
  }

  void AddOrSubtract() const {
    RequireOperands(2);
    if (type_.kind == TypeKind::Date) {
      const bool days_second =
          OperandType(0).kind == TypeKind::Date && OperandType(1).kind == TypeKind::Int32;
      const bool days_first = OperandType(0).kind == TypeKind::Int32 &&
                              OperandType(1).kind == TypeKind::Date &&
                              expression_.GetOperation() == Operation::Add;
      return Require(days_second || days_first, "a DATE takes an INTEGER number of days");
    }
    if (type_.kind == TypeKind::Timestamp) {
      return Require(expression_.GetOperation() == Operation::Add && OperandType(0) == type_ &&
                         OperandType(1).kind == TypeKind::Int64,
                     "a TIMESTAMP takes a BIGINT number of microseconds");
    }
    if (type_.kind == TypeKind::Int64 && expression_.GetOperation() == Operation::Subtract &&
        OperandType(0).kind == TypeKind::Date && OperandType(1).kind == TypeKind::Date) {
      return;
    }
    Require(IsNumeric(type_), "the operands must be numbers");
    for (size_t i = 0; i < 2; i++) {
      Require(SameButForWidth(OperandType(i), type_),
              "operand " + std::to_string(i) + " has the type " + OperandType(i).ToString());
    }
  }

  void Multiply() const {
    RequireOperands(2);
    if (!IsDecimal(type_)) {
      Require(IsNumeric(type_), "the operands must be numbers");
      return RequireOneType();
    }
    Require(IsDecimal(OperandType(0)) && IsDecimal(OperandType(1)),
            "both operands must be decimals");
    Require(OperandType(0).scale + OperandType(1).scale == type_.scale,
            "the scales of the operands do not add up");
  }

  void Rounding() const {
    const Operation operation = expression_.GetOperation();
    if (IsDecimal(type_)) {
      RequireOperands(1);
      Require(operation != Operation::Round, "a cast rounds decimals");
      return Require(IsDecimal(OperandType(0)) && OperandType(0).width == type_.width &&
                         OperandType(0).scale > type_.scale,
                     "it rounds " + OperandType(0).ToString());
    }
    Require(type_.IsFloat() && Count() >= 1 && OperandType(0) == type_,
            "the operand must be a float of the same type");
    if (Count() == 1) {
      return;
    }
    RequireOperands(2);
    Require(operation == Operation::Round || operation == Operation::Truncate,
            "it does not take digits");
    Require(expression_.Operand(1).GetOperation() == Operation::Constant &&
                OperandType(1).kind == TypeKind::Int32 &&
                !expression_.Operand(1).GetConstant().is_null,
            "the digits must be a constant INTEGER");
  }

  void Case() const {
    Require(Count() >= 3 && Count() % 2 == 1, "it needs pairs of WHEN and THEN, and an ELSE");
    for (size_t i = 0; i < Count(); i++) {
      const bool is_condition = i % 2 == 0 && i + 1 < Count();
      Require(OperandType(i) == (is_condition ? Type(TypeKind::Boolean) : type_),
              "operand " + std::to_string(i) + " has the type " + OperandType(i).ToString());
    }
  }

  void TextPredicate() const {
    RequireOperands(2);
    Require(type_.IsBoolean(), "the result must be a BOOLEAN");
    Require(OperandType(0).IsVarchar() && OperandType(1).IsVarchar(),
            "the operands must be VARCHARs");
    RequireConstant(1);
  }

  void RequireConstant(size_t i) const {
    const Expression& operand = expression_.Operand(i);
    Require(operand.GetOperation() == Operation::Constant && !operand.GetConstant().is_null,
            "operand " + std::to_string(i) + " must be a constant that is not NULL");
  }

  void Slice() const {
    RequireOperands(3);
    Require(type_.IsVarchar() && OperandType(0).IsVarchar(), "it is a slice of a VARCHAR");
    for (size_t i : {1, 2}) {
      RequireConstant(i);
      Require(OperandType(i).kind == TypeKind::Int64, "places are BIGINTs");
    }
  }

  void PartOfOperand() const {
    RequireOperands(1);
    const TypeKind whole = IsPartOfDate(expression_.Part()) ? TypeKind::Date : TypeKind::Timestamp;
    Require(OperandType(0).kind == whole, "it is no part of " + OperandType(0).ToString());
  }

  void Dictionary() const {
    Require(Count() == 1 || Count() == 2, "it has " + std::to_string(Count()) + " operands");
    Require(Count() == 1 || OperandType(1) == type_, "operand 1 gives another type");
    Require(
        expression_.Operand(0).GetOperation() == Operation::Column && OperandType(0).IsVarchar(),
        "the argument must be a VARCHAR column");
    Require(expression_.Function().ResultType() == type_, "the function gives another type");
  }

  const Expression& expression_;
  const Type& type_;
  const std::vector<Type>& input_types_;
};

bool IsSumOf(const Type& result, const Type& argument) {
  if (argument.IsFloat()) {
    return result.kind == TypeKind::Float64;
  }
  if (IsDecimal(argument)) {
    return result == Type::Decimal(38, argument.scale);
  }
  return (argument.IsInteger() || argument.IsBoolean()) &&
         (result.kind == TypeKind::Int128 || result.kind == TypeKind::Int64);
}

bool IsAggregateOf(AggregateFunction function, const Type& result, const Type& argument) {
  switch (function) {
    case AggregateFunction::CountStar:
      return false;
    case AggregateFunction::Count:
      return result.kind == TypeKind::Int64;
    case AggregateFunction::Sum:
      return IsSumOf(result, argument);
    case AggregateFunction::Average:
      return result.kind == TypeKind::Float64 && IsNumeric(argument);
    case AggregateFunction::Min:
    case AggregateFunction::Max:
      return result == argument && argument.kind != TypeKind::UInt128;
  }
  throw std::logic_error("Verify: unknown aggregate function");
}

}  // namespace

void VerifyType(const Type& type) {
  const bool valid = IsDecimal(type)
                         ? type.width >= 1 && type.width <= 38 && type.scale <= type.width
                         : type.width == 0 && type.scale == 0;
  if (!valid) {
    throw std::logic_error("Verify: " + type.ToString() + " with width " +
                           std::to_string(type.width) + " and scale " + std::to_string(type.scale) +
                           " is no type");
  }
}

void Verify(const Expression& expression, const std::vector<Type>& input_types) {
  Verifier(expression, input_types).Run();
}

void Verify(const Aggregate& aggregate, const std::vector<Type>& input_types) {
  VerifyType(aggregate.type);
  if (aggregate.function == AggregateFunction::CountStar) {
    if (aggregate.argument != nullptr || aggregate.type.kind != TypeKind::Int64) {
      throw std::logic_error("Verify: count(*) takes no argument and gives a BIGINT: " +
                             aggregate.ToString());
    }
    return;
  }
  if (aggregate.argument == nullptr) {
    throw std::logic_error("Verify: the argument is missing: " + aggregate.ToString());
  }
  Verify(*aggregate.argument, input_types);
  const Type& argument = aggregate.argument->GetType();
  if (!IsAggregateOf(aggregate.function, aggregate.type, argument)) {
    throw std::logic_error("Verify: " + aggregate.ToString() + ": not the type of this aggregate" +
                           " over " + argument.ToString());
  }
}

}  // namespace margay::plan
