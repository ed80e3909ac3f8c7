#include "plan/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "plan_builders.hpp"

namespace margay::plan {
namespace {

//! One input column of every type, found by its type.
const std::vector<Type> kInput = {
    TypeKind::Boolean,    TypeKind::Int8,       TypeKind::Int16,      TypeKind::Int32,
    TypeKind::Int64,      TypeKind::Int128,     TypeKind::UInt8,      TypeKind::UInt16,
    TypeKind::UInt32,     TypeKind::UInt64,     TypeKind::UInt128,    TypeKind::Date,
    TypeKind::Timestamp,  TypeKind::Float32,    TypeKind::Float64,    TypeKind::Varchar,
    Type::Decimal(15, 2), Type::Decimal(16, 2), Type::Decimal(15, 3),
};

ExpressionPointer Input(Type type) {
  for (size_t i = 0; i < kInput.size(); i++) {
    if (kInput[i] == type) {
      return Expression::Column(i, type, "c" + std::to_string(i));
    }
  }
  throw std::logic_error("the test has no input column of type " + type.ToString());
}

bool IsValid(const ExpressionPointer& expression) {
  try {
    Verify(*expression, kInput);
    return true;
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("Verify: "), std::string::npos) << error.what();
    return false;
  }
}

bool IsValid(Operation operation, Type type, const std::vector<Type>& operands) {
  std::vector<ExpressionPointer> inputs;
  for (const Type& operand : operands) {
    inputs.push_back(Input(operand));
  }
  return IsValid(Expression::Make(operation, type, inputs));
}

bool IsValid(AggregateFunction function, Type type, const ExpressionPointer& argument) {
  try {
    Verify(Aggregate{function, argument, type}, kInput);
    return true;
  } catch (const std::logic_error&) {
    return false;
  }
}

TEST(Verify, Columns) {
  EXPECT_TRUE(IsValid(Expression::Column(0, kBoolean, "x")));
  EXPECT_FALSE(IsValid(Expression::Column(0, kInteger, "x")));
  EXPECT_FALSE(IsValid(Expression::Column(kInput.size(), kBoolean, "x")));
}

TEST(Verify, TypesOfDecimals) {
  EXPECT_NO_THROW(VerifyType(Type::Decimal(38, 38)));
  EXPECT_NO_THROW(VerifyType(kInteger));
  EXPECT_THROW(VerifyType(Type::Decimal(39, 0)), std::logic_error);
  EXPECT_THROW(VerifyType(Type::Decimal(0, 0)), std::logic_error);
  EXPECT_THROW(VerifyType(Type::Decimal(4, 5)), std::logic_error);
  Type odd = kInteger;
  odd.scale = 2;
  EXPECT_THROW(VerifyType(odd), std::logic_error);
  EXPECT_FALSE(IsValid(Expression::Null(Type::Decimal(39, 0))));
}

TEST(Verify, ConstantsLieInTheRangeOfTheirType) {
  EXPECT_TRUE(IsValid(Expression::Integer(127, TypeKind::Int8)));
  EXPECT_FALSE(IsValid(Expression::Integer(128, TypeKind::Int8)));
  EXPECT_FALSE(IsValid(Expression::Integer(-1, TypeKind::UInt8)));
  EXPECT_FALSE(IsValid(Expression::Integer(2, kBoolean)));
  EXPECT_FALSE(IsValid(Expression::Integer(10'000, Type::Decimal(4, 2))));
  EXPECT_TRUE(IsValid(Expression::Integer(kInt128Min, kHugeint)));
  EXPECT_TRUE(IsValid(Expression::Integer(-1, kUhugeint)));
  EXPECT_TRUE(IsValid(Real(0.1, kDouble)));
  EXPECT_TRUE(IsValid(Real(0.5, kFloat)));
  EXPECT_TRUE(IsValid(Real(NAN, kFloat)));
  EXPECT_TRUE(IsValid(Real(-INFINITY, kFloat)));
  EXPECT_FALSE(IsValid(Real(0.1, kFloat)));
  EXPECT_TRUE(IsValid(Text("x")));
  Constant null;
  null.is_null = true;
  null.integer = 1'000;
  EXPECT_TRUE(IsValid(Expression::MakeConstant(null, TypeKind::Int8)));
}

TEST(Verify, AddAndSubtractKeepTheType) {
  for (const Operation operation : {Operation::Add, Operation::Subtract}) {
    EXPECT_TRUE(IsValid(operation, kInteger, {kInteger, kInteger}));
    EXPECT_TRUE(IsValid(operation, kDouble, {kDouble, kDouble}));
    EXPECT_TRUE(IsValid(operation, kMoney, {kMoney, kMoney}));
    EXPECT_TRUE(IsValid(operation, Type::Decimal(16, 2), {kMoney, kMoney}));
    EXPECT_FALSE(IsValid(operation, kMoney, {kMoney, Type::Decimal(15, 3)}));
    EXPECT_FALSE(IsValid(operation, kMoney, {kMoney, kInteger}));
    EXPECT_FALSE(IsValid(operation, kBigint, {kInteger, kInteger}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kInteger, kBigint}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kInteger}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kInteger, kInteger, kInteger}));
    EXPECT_FALSE(IsValid(operation, kBoolean, {kBoolean, kBoolean}));
    EXPECT_FALSE(IsValid(operation, kVarchar, {kVarchar, kVarchar}));
    EXPECT_FALSE(IsValid(operation, kTimestamp, {kTimestamp, kTimestamp}));
    EXPECT_FALSE(IsValid(operation, kUhugeint, {kUhugeint, kUhugeint}));
  }
}

TEST(Verify, DatesMoveByDays) {
  EXPECT_TRUE(IsValid(Operation::Add, kDate, {kDate, kInteger}));
  EXPECT_TRUE(IsValid(Operation::Add, kDate, {kInteger, kDate}));
  EXPECT_TRUE(IsValid(Operation::Subtract, kDate, {kDate, kInteger}));
  EXPECT_FALSE(IsValid(Operation::Subtract, kDate, {kInteger, kDate}));
  EXPECT_FALSE(IsValid(Operation::Add, kDate, {kDate, kBigint}));
  EXPECT_FALSE(IsValid(Operation::Add, kDate, {kDate, kDate}));
  EXPECT_TRUE(IsValid(Operation::Subtract, kBigint, {kDate, kDate}));
  EXPECT_FALSE(IsValid(Operation::Add, kBigint, {kDate, kDate}));
}

TEST(Verify, MultiplyAddsScales) {
  EXPECT_TRUE(IsValid(Operation::Multiply, kInteger, {kInteger, kInteger}));
  EXPECT_TRUE(IsValid(Operation::Multiply, kFloat, {kFloat, kFloat}));
  EXPECT_TRUE(IsValid(Operation::Multiply, Type::Decimal(31, 5), {kMoney, Type::Decimal(15, 3)}));
  EXPECT_FALSE(IsValid(Operation::Multiply, Type::Decimal(31, 4), {kMoney, Type::Decimal(15, 3)}));
  EXPECT_FALSE(IsValid(Operation::Multiply, Type::Decimal(18, 2), {kMoney, kInteger}));
  EXPECT_FALSE(IsValid(Operation::Multiply, kInteger, {kInteger, kBigint}));
  EXPECT_FALSE(IsValid(Operation::Multiply, kDate, {kDate, kDate}));
  EXPECT_FALSE(IsValid(Operation::Multiply, kInteger, {kInteger}));
}

TEST(Verify, DivisionsAndNegation) {
  EXPECT_TRUE(IsValid(Operation::Divide, kDouble, {kDouble, kDouble}));
  EXPECT_FALSE(IsValid(Operation::Divide, kInteger, {kInteger, kInteger}));
  EXPECT_FALSE(IsValid(Operation::Divide, kDouble, {kDouble, kFloat}));
  for (const Operation operation : {Operation::IntegerDivide, Operation::Modulo}) {
    EXPECT_TRUE(IsValid(operation, kBigint, {kBigint, kBigint}));
    EXPECT_FALSE(IsValid(operation, kDouble, {kDouble, kDouble}));
    EXPECT_FALSE(IsValid(operation, kMoney, {kMoney, kMoney}));
    EXPECT_FALSE(IsValid(operation, kBigint, {kBigint, kInteger}));
  }
  EXPECT_TRUE(IsValid(Operation::Negate, kMoney, {kMoney}));
  EXPECT_FALSE(IsValid(Operation::Negate, kBigint, {kInteger}));
  EXPECT_FALSE(IsValid(Operation::Negate, kBoolean, {kBoolean}));
  EXPECT_FALSE(IsValid(Operation::Negate, kInteger, {kInteger, kInteger}));
}

TEST(Verify, ComparisonsNeedOneTypeAndGiveBooleans) {
  for (const Operation operation :
       {Operation::Equal, Operation::NotEqual, Operation::Less, Operation::LessOrEqual,
        Operation::Greater, Operation::GreaterOrEqual, Operation::DistinctFrom,
        Operation::NotDistinctFrom}) {
    EXPECT_TRUE(IsValid(operation, kBoolean, {kInteger, kInteger}));
    EXPECT_TRUE(IsValid(operation, kBoolean, {kVarchar, kVarchar}));
    EXPECT_TRUE(IsValid(operation, kBoolean, {kBoolean, kBoolean}));
    EXPECT_FALSE(IsValid(operation, kBoolean, {kInteger, kBigint}));
    EXPECT_FALSE(IsValid(operation, kBoolean, {kMoney, Type::Decimal(16, 2)}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kInteger, kInteger}));
    EXPECT_FALSE(IsValid(operation, kBoolean, {kInteger}));
    EXPECT_FALSE(IsValid(operation, kBoolean, {kUhugeint, kUhugeint}));
  }
}

TEST(Verify, Logic) {
  for (const Operation operation : {Operation::And, Operation::Or}) {
    EXPECT_TRUE(IsValid(operation, kBoolean, {kBoolean, kBoolean, kBoolean}));
    EXPECT_FALSE(IsValid(operation, kBoolean, {kBoolean}));
    EXPECT_FALSE(IsValid(operation, kBoolean, {kBoolean, kInteger}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kBoolean, kBoolean}));
  }
  EXPECT_TRUE(IsValid(Operation::Not, kBoolean, {kBoolean}));
  EXPECT_FALSE(IsValid(Operation::Not, kBoolean, {kInteger}));
  EXPECT_FALSE(IsValid(Operation::Not, kBoolean, {kBoolean, kBoolean}));
  EXPECT_TRUE(IsValid(Operation::IsNull, kBoolean, {kVarchar}));
  EXPECT_TRUE(IsValid(Operation::IsNotNull, kBoolean, {kDate}));
  EXPECT_FALSE(IsValid(Operation::IsNull, kVarchar, {kVarchar}));
  EXPECT_FALSE(IsValid(Operation::IsNotNull, kBoolean, {}));
}

TEST(Verify, CaseCoalesceAndIn) {
  EXPECT_TRUE(IsValid(Operation::Case, kDate, {kBoolean, kDate, kDate}));
  EXPECT_TRUE(IsValid(Operation::Case, kBoolean, {kBoolean, kBoolean, kBoolean}));
  EXPECT_FALSE(IsValid(Operation::Case, kDate, {kBoolean, kDate}));
  EXPECT_FALSE(IsValid(Operation::Case, kDate, {kDate}));
  EXPECT_FALSE(IsValid(Operation::Case, kDate, {kInteger, kDate, kDate}));
  EXPECT_FALSE(IsValid(Operation::Case, kDate, {kBoolean, kDate, kTimestamp}));
  EXPECT_FALSE(IsValid(Operation::Case, kDate, {kBoolean, kTimestamp, kDate}));

  EXPECT_TRUE(IsValid(Operation::Coalesce, kDate, {kDate, kDate}));
  EXPECT_FALSE(IsValid(Operation::Coalesce, kDate, {kDate, kTimestamp}));
  EXPECT_FALSE(IsValid(Operation::Coalesce, kDate, {}));

  EXPECT_TRUE(IsValid(Operation::In, kBoolean, {kInteger, kInteger, kInteger}));
  EXPECT_FALSE(IsValid(Operation::In, kBoolean, {kInteger}));
  EXPECT_FALSE(IsValid(Operation::In, kBoolean, {kInteger, kInteger, kBigint}));
  EXPECT_FALSE(IsValid(Operation::In, kInteger, {kInteger, kInteger}));
}

TEST(Verify, Casts) {
  for (const Operation operation : {Operation::Cast, Operation::TryCast}) {
    EXPECT_TRUE(IsValid(operation, kBigint, {kInteger}));
    EXPECT_TRUE(IsValid(operation, kMoney, {kDouble}));
    EXPECT_TRUE(IsValid(operation, Type::Decimal(16, 2), {kMoney}));
    EXPECT_TRUE(IsValid(operation, kBoolean, {kInteger}));
    EXPECT_TRUE(IsValid(operation, kInteger, {kBoolean}));
    EXPECT_TRUE(IsValid(operation, kTimestamp, {kDate}));
    EXPECT_TRUE(IsValid(operation, kDate, {kTimestamp}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kDate}));
    EXPECT_FALSE(IsValid(operation, kDate, {kInteger}));
    EXPECT_FALSE(IsValid(operation, kVarchar, {kInteger}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kVarchar}));
    EXPECT_FALSE(IsValid(operation, kUhugeint, {kInteger}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kUhugeint}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kInteger, kInteger}));
  }
}

TEST(Verify, PartsBelongToDatesOrTimestamps) {
  const auto is_valid = [](Operation operation, DatePart part, Type type, Type operand) {
    return IsValid(Expression::PartOf(operation, part, type, Input(operand)));
  };
  EXPECT_TRUE(is_valid(Operation::DatePart, DatePart::Year, kBigint, kDate));
  EXPECT_TRUE(is_valid(Operation::DatePart, DatePart::Hour, kBigint, kTimestamp));
  EXPECT_FALSE(is_valid(Operation::DatePart, DatePart::Year, kBigint, kTimestamp));
  EXPECT_FALSE(is_valid(Operation::DatePart, DatePart::Hour, kBigint, kDate));
  EXPECT_FALSE(is_valid(Operation::DatePart, DatePart::Year, kInteger, kDate));
  EXPECT_TRUE(is_valid(Operation::DateTrunc, DatePart::Month, kDate, kDate));
  EXPECT_TRUE(is_valid(Operation::DateTrunc, DatePart::Hour, kTimestamp, kTimestamp));
  EXPECT_FALSE(is_valid(Operation::DateTrunc, DatePart::Month, kTimestamp, kDate));
  EXPECT_FALSE(is_valid(Operation::DateTrunc, DatePart::DayOfWeek, kDate, kDate));
}

TEST(Verify, MonthsMoveDatesAndTimestamps) {
  EXPECT_TRUE(IsValid(Operation::Fault, kDate, {}));
  EXPECT_FALSE(IsValid(Operation::Fault, kDate, {kDate}));
  EXPECT_TRUE(IsValid(Operation::AddMonths, kDate, {kDate, kInteger}));
  EXPECT_TRUE(IsValid(Operation::AddMonths, kTimestamp, {kTimestamp, kInteger}));
  EXPECT_FALSE(IsValid(Operation::AddMonths, kTimestamp, {kDate, kInteger}));
  EXPECT_FALSE(IsValid(Operation::AddMonths, kDate, {kDate, kBigint}));
  EXPECT_TRUE(IsValid(Operation::Add, kTimestamp, {kTimestamp, kBigint}));
  EXPECT_FALSE(IsValid(Operation::Subtract, kTimestamp, {kTimestamp, kBigint}));
  EXPECT_FALSE(IsValid(Operation::Add, kTimestamp, {kTimestamp, kInteger}));
}

TEST(Verify, FunctionsOfNumbers) {
  EXPECT_TRUE(IsValid(Operation::Absolute, kInteger, {kInteger}));
  EXPECT_FALSE(IsValid(Operation::Absolute, kBigint, {kInteger}));
  EXPECT_FALSE(IsValid(Operation::Absolute, kDate, {kDate}));
  EXPECT_TRUE(IsValid(Operation::Sign, TypeKind::Int8, {kDouble}));
  EXPECT_FALSE(IsValid(Operation::Sign, kInteger, {kDouble}));
  EXPECT_TRUE(IsValid(Operation::Greatest, kDate, {kDate, kDate, kDate}));
  EXPECT_TRUE(IsValid(Operation::Least, kMoney, {kMoney}));
  EXPECT_FALSE(IsValid(Operation::Greatest, kInteger, {kInteger, kBigint}));
  EXPECT_FALSE(IsValid(Operation::Greatest, kVarchar, {kVarchar, kVarchar}));
}

TEST(Verify, RoundingIsOfFloatsOrLosesDigits) {
  EXPECT_TRUE(IsValid(Operation::Round, kDouble, {kDouble}));
  EXPECT_TRUE(IsValid(Operation::Floor, Type::Decimal(15, 0), {kMoney}));
  EXPECT_FALSE(IsValid(Operation::Round, Type::Decimal(15, 0), {kMoney}));
  EXPECT_FALSE(IsValid(Operation::Floor, Type::Decimal(15, 3), {kMoney}));
  EXPECT_FALSE(IsValid(Operation::Floor, Type::Decimal(14, 0), {kMoney}));
  EXPECT_FALSE(IsValid(Operation::Ceiling, kInteger, {kInteger}));
  const auto with_digits = [](Operation operation, ExpressionPointer digits) {
    return IsValid(Expression::Make(operation, kDouble, {Input(kDouble), std::move(digits)}));
  };
  EXPECT_TRUE(with_digits(Operation::Round, Expression::Integer(2, kInteger)));
  EXPECT_FALSE(with_digits(Operation::Floor, Expression::Integer(2, kInteger)));
  EXPECT_FALSE(with_digits(Operation::Round, Expression::Null(kInteger)));
  EXPECT_FALSE(with_digits(Operation::Round, Input(kInteger)));
}

TEST(Verify, DictionaryFunctionsTakeVarcharColumns) {
  EXPECT_TRUE(IsValid(Named("length", kBigint, Input(kVarchar))));
  EXPECT_TRUE(IsValid(Named("compress", kUhugeint, Input(kVarchar))));
  EXPECT_FALSE(IsValid(Named("length", kBigint, Input(kInteger))));
  EXPECT_FALSE(IsValid(Named("length", kBigint, Text("constant"))));
  EXPECT_FALSE(IsValid(Named("length", kBigint, Named("upper", kVarchar, Input(kVarchar)))));
}

TEST(Verify, DictionaryFunctionsMayBeComputedByRow) {
  const ExpressionPointer length = Expression::Make(Operation::Length, kBigint, {Input(kVarchar)});
  EXPECT_TRUE(IsValid(Named("length", kBigint, Input(kVarchar), length)));
  EXPECT_FALSE(IsValid(Named("length", kInteger, Input(kVarchar), length))) << "another type";
  const ExpressionPointer fault = Expression::Make(Operation::Length, kBigint, {Input(kInteger)});
  EXPECT_FALSE(IsValid(Named("length", kBigint, Input(kVarchar), fault)));
}

TEST(Verify, FunctionsOfText) {
  for (const Operation operation :
       {Operation::Like, Operation::Prefix, Operation::Suffix, Operation::Contains}) {
    const auto is_valid = [&](const Type& type, std::vector<ExpressionPointer> operands) {
      return IsValid(Expression::Make(operation, type, std::move(operands)));
    };
    EXPECT_TRUE(is_valid(kBoolean, {Input(kVarchar), Text("a%")}));
    EXPECT_FALSE(is_valid(kBigint, {Input(kVarchar), Text("a%")}));
    EXPECT_FALSE(is_valid(kBoolean, {Input(kInteger), Text("a%")}));
    EXPECT_FALSE(is_valid(kBoolean, {Input(kVarchar)}));
    EXPECT_FALSE(is_valid(kBoolean, {Input(kVarchar), Input(kVarchar)}));
    EXPECT_FALSE(is_valid(kBoolean, {Input(kVarchar), Expression::Null(kVarchar)}));
  }
  for (const Operation operation :
       {Operation::Length, Operation::ByteLength, Operation::TextHash}) {
    EXPECT_TRUE(IsValid(operation, kBigint, {kVarchar}));
    EXPECT_FALSE(IsValid(operation, kInteger, {kVarchar}));
    EXPECT_FALSE(IsValid(operation, kBigint, {kInteger}));
    EXPECT_FALSE(IsValid(operation, kBigint, {kVarchar, kVarchar}));
  }
}

TEST(Verify, SlicesOfText) {
  const auto slice = [](const Type& type, const ExpressionPointer& text,
                        const ExpressionPointer& begin) {
    return IsValid(
        Expression::Make(Operation::Slice, type, {text, begin, Expression::Integer(-2, kBigint)}));
  };
  EXPECT_TRUE(slice(kVarchar, Input(kVarchar), Expression::Integer(1, kBigint)));
  EXPECT_FALSE(slice(kBigint, Input(kVarchar), Expression::Integer(1, kBigint)));
  EXPECT_FALSE(slice(kVarchar, Input(kInteger), Expression::Integer(1, kBigint)));
  EXPECT_FALSE(slice(kVarchar, Input(kVarchar), Expression::Integer(1, kInteger)));
  EXPECT_FALSE(slice(kVarchar, Input(kVarchar), Expression::Null(kBigint)));
  EXPECT_FALSE(slice(kVarchar, Input(kVarchar), Input(kBigint)));
  for (const Operation operation : {Operation::TrimBegin, Operation::TrimEnd}) {
    const auto trim = [&](const Type& type, std::vector<ExpressionPointer> operands) {
      return IsValid(Expression::Make(operation, type, std::move(operands)));
    };
    EXPECT_TRUE(trim(kVarchar, {Input(kVarchar), Text("ab")}));
    EXPECT_FALSE(trim(kVarchar, {Input(kVarchar)}));
    EXPECT_FALSE(trim(kVarchar, {Input(kVarchar), Input(kVarchar)}));
    EXPECT_FALSE(trim(kBigint, {Input(kVarchar), Text("ab")}));
  }
}

TEST(Verify, FindsFaultsDeepInside) {
  const ExpressionPointer fault = Expression::Make(Operation::Not, kBoolean, {Input(kInteger)});
  const ExpressionPointer deep =
      Expression::Make(Operation::And, kBoolean,
                       {Input(kBoolean), Expression::Make(Operation::IsNull, kBoolean, {fault})});
  try {
    Verify(*deep, kInput);
    FAIL() << "the fault went unseen";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "Verify: (NOT c3) of type BOOLEAN: operand 0 has the type INTEGER");
  }
}

TEST(VerifyAggregate, Counts) {
  EXPECT_TRUE(IsValid(AggregateFunction::CountStar, kBigint, nullptr));
  EXPECT_FALSE(IsValid(AggregateFunction::CountStar, kInteger, nullptr));
  EXPECT_FALSE(IsValid(AggregateFunction::CountStar, kBigint, Input(kInteger)));
  EXPECT_TRUE(IsValid(AggregateFunction::Count, kBigint, Input(kVarchar)));
  EXPECT_FALSE(IsValid(AggregateFunction::Count, kHugeint, Input(kVarchar)));
  EXPECT_FALSE(IsValid(AggregateFunction::Count, kBigint, nullptr));
}

TEST(VerifyAggregate, Sums) {
  EXPECT_TRUE(IsValid(AggregateFunction::Sum, kHugeint, Input(kInteger)));
  EXPECT_TRUE(IsValid(AggregateFunction::Sum, kBigint, Input(kInteger)));
  EXPECT_TRUE(IsValid(AggregateFunction::Sum, kHugeint, Input(kBoolean)));
  EXPECT_TRUE(IsValid(AggregateFunction::Sum, Type::Decimal(38, 2), Input(kMoney)));
  EXPECT_TRUE(IsValid(AggregateFunction::Sum, kDouble, Input(kFloat)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, kInteger, Input(kInteger)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, kDouble, Input(kInteger)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, Type::Decimal(38, 3), Input(kMoney)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, kHugeint, Input(kMoney)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, kFloat, Input(kFloat)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, kHugeint, Input(kDate)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, kHugeint, Input(kUhugeint)));
  EXPECT_FALSE(IsValid(AggregateFunction::Sum, kHugeint, Input(kVarchar)));
}

TEST(VerifyAggregate, AveragesAndExtremes) {
  for (const Type& type : {kInteger, kHugeint, kMoney, kFloat, kDouble}) {
    EXPECT_TRUE(IsValid(AggregateFunction::Average, kDouble, Input(type)));
  }
  EXPECT_FALSE(IsValid(AggregateFunction::Average, kMoney, Input(kMoney)));
  EXPECT_FALSE(IsValid(AggregateFunction::Average, kDouble, Input(kBoolean)));
  EXPECT_FALSE(IsValid(AggregateFunction::Average, kDouble, Input(kDate)));
  for (const AggregateFunction function : {AggregateFunction::Min, AggregateFunction::Max}) {
    EXPECT_TRUE(IsValid(function, kVarchar, Input(kVarchar)));
    EXPECT_TRUE(IsValid(function, kMoney, Input(kMoney)));
    EXPECT_FALSE(IsValid(function, kBigint, Input(kInteger)));
    EXPECT_FALSE(IsValid(function, kUhugeint, Input(kUhugeint)));
    EXPECT_FALSE(IsValid(function, kInteger, nullptr));
  }
}

}  // namespace
}  // namespace margay::plan
