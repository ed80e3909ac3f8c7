#include "plan/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "plan_builders.hpp"

namespace margay::plan {
namespace {

const ExpressionPointer kA = Expression::Column(0, kInteger, "a");
const ExpressionPointer kB = Expression::Column(1, kInteger, "b");
const ExpressionPointer kP = Expression::Column(2, kBoolean, "p");
const ExpressionPointer kQ = Expression::Column(3, kBoolean, "q");
const ExpressionPointer kS = Expression::Column(4, kVarchar, "s");

std::string IntegerText(Int128 value, Type type) {
  return Expression::Integer(value, type)->ToString();
}

TEST(Expression, FactoriesKeepWhatTheyAreGiven) {
  EXPECT_EQ(kB->GetOperation(), Operation::Column);
  EXPECT_EQ(kB->ColumnIndex(), 1U);
  EXPECT_EQ(kB->ColumnName(), "b");
  EXPECT_EQ(kB->GetType(), kInteger);

  const ExpressionPointer sum = Expression::Make(Operation::Add, kInteger, {kA, kB});
  EXPECT_EQ(sum->GetOperation(), Operation::Add);
  ASSERT_EQ(sum->Operands().size(), 2U);
  EXPECT_EQ(&sum->Operand(1), kB.get());

  EXPECT_TRUE(Expression::Null(kDate)->GetConstant().is_null);
  EXPECT_EQ(Expression::Integer(42, kBigint)->GetConstant().integer, 42);
  EXPECT_EQ(Text("x")->GetConstant().text, "x");

  const ExpressionPointer length = Named("length", kBigint, kS);
  EXPECT_EQ(length->GetOperation(), Operation::Dictionary);
  EXPECT_EQ(length->GetType(), kBigint);
  EXPECT_EQ(&length->Function(), length->FunctionPointer().get());
}

TEST(Expression, FactoriesRefuseWhatCannotBePrinted) {
  EXPECT_THROW(Expression::Make(Operation::Add, kInteger, {kA, nullptr}), std::logic_error);
  EXPECT_THROW(Expression::Make(Operation::Column, kInteger, {}), std::logic_error);
  EXPECT_THROW(Expression::Make(Operation::Constant, kInteger, {}), std::logic_error);
  EXPECT_THROW(Expression::Make(Operation::Dictionary, kInteger, {kS}), std::logic_error);
  EXPECT_THROW(Expression::Dictionary(nullptr, kS), std::logic_error);
  EXPECT_THROW(Named("length", kBigint, nullptr), std::logic_error);
}

TEST(ExpressionText, ColumnsShowTheirNameOrNumber) {
  EXPECT_EQ(kA->ToString(), "a");
  EXPECT_EQ(Expression::Column(7, kInteger, "")->ToString(), "#7");
}

TEST(ExpressionText, NamesThatCouldBeReadAsSomethingElseAreQuoted) {
  for (const char* name : {"true", "FALSE", "Null", "#7", "7", "(a + b)", "a b"}) {
    EXPECT_EQ(Expression::Column(0, kInteger, name)->ToString(), "\"" + std::string(name) + "\"");
  }
  EXPECT_EQ(Expression::Column(0, kInteger, "a\"b")->ToString(), "\"a\"\"b\"");
}

TEST(ExpressionText, IntegersAndBooleans) {
  EXPECT_EQ(IntegerText(-42, kInteger), "-42");
  EXPECT_EQ(IntegerText(kInt128Min, kHugeint), "-170141183460469231731687303715884105728");
  EXPECT_EQ(IntegerText(-1, kUhugeint), "340282366920938463463374607431768211455");
  EXPECT_EQ(IntegerText(7, kUhugeint), "7");
  EXPECT_EQ(Truth(true)->ToString(), "true");
  EXPECT_EQ(Truth(false)->ToString(), "false");
}

TEST(ExpressionText, DecimalsShowTheirPoint) {
  EXPECT_EQ(IntegerText(2400, kMoney), "24.00");
  EXPECT_EQ(IntegerText(-5, kMoney), "-0.05");
  EXPECT_EQ(IntegerText(0, kMoney), "0.00");
  EXPECT_EQ(IntegerText(-120, kMoney), "-1.20");
  EXPECT_EQ(IntegerText(24, Type::Decimal(4, 0)), "24");
  EXPECT_EQ(IntegerText(PowerOfTen(38) - 1, Type::Decimal(38, 38)), "0." + std::string(38, '9'));
}

TEST(ExpressionText, Dates) {
  EXPECT_EQ(IntegerText(0, kDate), "DATE '1970-01-01'");
  EXPECT_EQ(IntegerText(8766, kDate), "DATE '1994-01-01'");
  EXPECT_EQ(IntegerText(11'016, kDate), "DATE '2000-02-29'");
  EXPECT_EQ(IntegerText(-1, kDate), "DATE '1969-12-31'");
  EXPECT_EQ(IntegerText(-719'162, kDate), "DATE '0001-01-01'");
  EXPECT_EQ(IntegerText(-719'163, kDate), "DATE '0001-12-31 (BC)'");
  EXPECT_EQ(IntegerText(-2'147'483'646, kDate), "DATE '5877642-06-25 (BC)'");
  EXPECT_EQ(IntegerText(2'147'483'646, kDate), "DATE '5881580-07-10'");
  EXPECT_EQ(IntegerText(2'147'483'647, kDate), "DATE 'infinity'");
  EXPECT_EQ(IntegerText(-2'147'483'647, kDate), "DATE '-infinity'");
}

TEST(ExpressionText, Timestamps) {
  EXPECT_EQ(IntegerText(0, kTimestamp), "TIMESTAMP '1970-01-01 00:00:00'");
  EXPECT_EQ(IntegerText(-1, kTimestamp), "TIMESTAMP '1969-12-31 23:59:59.999999'");
  EXPECT_EQ(IntegerText(757'386'123'500'000, kTimestamp), "TIMESTAMP '1994-01-01 01:02:03.5'");
  EXPECT_EQ(IntegerText(-9'223'372'022'400'000'000, kTimestamp),
            "TIMESTAMP '290309-12-22 (BC) 00:00:00'");
  EXPECT_EQ(IntegerText(std::numeric_limits<int64_t>::max(), kTimestamp), "TIMESTAMP 'infinity'");
  EXPECT_EQ(IntegerText(-std::numeric_limits<int64_t>::max(), kTimestamp), "TIMESTAMP '-infinity'");
}

TEST(ExpressionText, FloatsReadBackAsTheSameNumber) {
  EXPECT_EQ(Real(0.1, kDouble)->ToString(), "0.1");
  EXPECT_EQ(Real(0.1F, kFloat)->ToString(), "0.1");
  EXPECT_EQ(Real(0.1F, kDouble)->ToString(), "0.10000000149011612");
  EXPECT_EQ(Real(3, kDouble)->ToString(), "3.0");
  EXPECT_EQ(Real(-0.0, kDouble)->ToString(), "-0.0");
  EXPECT_EQ(Real(1e300, kDouble)->ToString(), "1e+300");
  EXPECT_EQ(Real(NAN, kDouble)->ToString(), "'nan'::DOUBLE");
  EXPECT_EQ(Real(INFINITY, kFloat)->ToString(), "'inf'::FLOAT");
  EXPECT_EQ(Real(-INFINITY, kDouble)->ToString(), "'-inf'::DOUBLE");
}

TEST(ExpressionText, StringsAndNulls) {
  EXPECT_EQ(Text("it's")->ToString(), "'it''s'");
  EXPECT_EQ(Text("")->ToString(), "''");
  EXPECT_EQ(Expression::Null(kMoney)->ToString(), "NULL::DECIMAL(15,2)");
  EXPECT_EQ(Expression::Null(kVarchar)->ToString(), "NULL::VARCHAR");
}

TEST(ExpressionText, Operations) {
  const auto text = [](Operation operation, Type type, std::vector<ExpressionPointer> operands) {
    return Expression::Make(operation, type, std::move(operands))->ToString();
  };
  EXPECT_EQ(text(Operation::Add, kInteger, {kA, kB}), "(a + b)");
  EXPECT_EQ(text(Operation::Subtract, kInteger, {kA, kB}), "(a - b)");
  EXPECT_EQ(text(Operation::Multiply, kInteger, {kA, kB}), "(a * b)");
  EXPECT_EQ(text(Operation::Divide, kInteger, {kA, kB}), "(a / b)");
  EXPECT_EQ(text(Operation::IntegerDivide, kInteger, {kA, kB}), "(a // b)");
  EXPECT_EQ(text(Operation::Modulo, kInteger, {kA, kB}), "(a % b)");
  EXPECT_EQ(text(Operation::Negate, kInteger, {kA}), "(-a)");
  EXPECT_EQ(text(Operation::NotEqual, kBoolean, {kA, kB}), "(a <> b)");
  EXPECT_EQ(text(Operation::DistinctFrom, kBoolean, {kA, kB}), "(a IS DISTINCT FROM b)");
  EXPECT_EQ(text(Operation::NotDistinctFrom, kBoolean, {kA, kB}), "(a IS NOT DISTINCT FROM b)");
  EXPECT_EQ(text(Operation::And, kBoolean, {kP, kQ, kP}), "(p AND q AND p)");
  EXPECT_EQ(text(Operation::Or, kBoolean, {kP, kQ}), "(p OR q)");
  EXPECT_EQ(text(Operation::Not, kBoolean, {kP}), "(NOT p)");
  EXPECT_EQ(text(Operation::IsNull, kBoolean, {kA}), "(a IS NULL)");
  EXPECT_EQ(text(Operation::IsNotNull, kBoolean, {kA}), "(a IS NOT NULL)");
  EXPECT_EQ(text(Operation::Case, kInteger, {kP, kA, kQ, kB, Expression::Integer(0, kInteger)}),
            "CASE WHEN p THEN a WHEN q THEN b ELSE 0 END");
  EXPECT_EQ(text(Operation::Coalesce, kInteger, {kA, kB}), "COALESCE(a, b)");
  EXPECT_EQ(text(Operation::In, kBoolean, {kA, kB, Expression::Integer(3, kInteger)}),
            "(a IN (b, 3))");
  EXPECT_EQ(text(Operation::Cast, kMoney, {kA}), "CAST(a AS DECIMAL(15,2))");
  EXPECT_EQ(text(Operation::TryCast, kBigint, {kA}), "TRY_CAST(a AS BIGINT)");
  EXPECT_EQ(Named("length", kBigint, kS)->ToString(), "length(s)");
}

TEST(ExpressionText, PartsOfDates) {
  const ExpressionPointer date = Expression::Column(0, kDate, "d");
  const auto part = [&](Operation operation, DatePart which, Type type) {
    return Expression::PartOf(operation, which, type, date);
  };
  EXPECT_EQ(part(Operation::DatePart, DatePart::Year, kBigint)->ToString(), "year(d)");
  EXPECT_EQ(part(Operation::DateTrunc, DatePart::Month, kDate)->ToString(),
            "date_trunc('month', d)");
  EXPECT_FALSE(SameExpression(*part(Operation::DatePart, DatePart::Year, kBigint),
                              *part(Operation::DatePart, DatePart::Month, kBigint)));
  const ExpressionPointer other = Expression::Column(3, kDate, "e");
  EXPECT_EQ(Substitute(part(Operation::DatePart, DatePart::Week, kBigint), {other})->ToString(),
            "week(e)");
  EXPECT_THROW(Expression::Make(Operation::DatePart, kBigint, {date}), std::logic_error);
  EXPECT_THROW(Expression::PartOf(Operation::Add, DatePart::Year, kBigint, date), std::logic_error);
}

TEST(ExpressionText, FunctionsOfNumbers) {
  const ExpressionPointer money = Expression::Column(0, kMoney, "m");
  EXPECT_EQ(Expression::Make(Operation::Absolute, kMoney, {money})->ToString(), "abs(m)");
  EXPECT_EQ(Expression::Make(Operation::Floor, Type::Decimal(15, 0), {money})->ToString(),
            "floor(m)::DECIMAL(15,0)");
  EXPECT_EQ(Expression::Make(Operation::Greatest, kMoney, {money, money})->ToString(),
            "greatest(m, m)");
}

TEST(ExpressionText, NegatedConstantAndNegativeConstantDiffer) {
  const ExpressionPointer five = Expression::Integer(5, kInteger);
  EXPECT_NE(Expression::Make(Operation::Negate, kInteger, {five})->ToString(),
            IntegerText(-5, kInteger));
}

TEST(SameExpression, LooksAtStructureTypesAndValues) {
  const auto plus = [](const ExpressionPointer& left, const ExpressionPointer& right) {
    return Expression::Make(Operation::Add, kInteger, {left, right});
  };
  EXPECT_TRUE(SameExpression(*plus(kA, kB), *plus(kA, kB)));
  EXPECT_FALSE(SameExpression(*plus(kA, kB), *plus(kB, kA)));
  EXPECT_TRUE(SameExpression(*kA, *Expression::Column(0, kInteger, "other")));
  EXPECT_FALSE(SameExpression(*Expression::Integer(1, kInteger), *Expression::Integer(1, kBigint)));
  EXPECT_FALSE(
      SameExpression(*Expression::Integer(1, kInteger), *Expression::Integer(2, kInteger)));
  EXPECT_FALSE(SameExpression(*Expression::Null(kInteger), *Expression::Integer(0, kInteger)));
  EXPECT_TRUE(SameExpression(*Expression::Null(kInteger), *Expression::Null(kInteger)));
  EXPECT_FALSE(SameExpression(*Real(0.0, kDouble), *Real(-0.0, kDouble)));
  EXPECT_TRUE(SameExpression(*Real(NAN, kDouble), *Real(NAN, kDouble)));
  EXPECT_FALSE(SameExpression(*Text("a"), *Text("b")));
  EXPECT_TRUE(SameExpression(*Named("length", kBigint, kS), *Named("length", kBigint, kS)));
  EXPECT_FALSE(SameExpression(*Named("length", kBigint, kS), *Named("upper", kBigint, kS)));
}

TEST(Substitute, ReplacesColumnsEverywhere) {
  const ExpressionPointer sum = Expression::Make(Operation::Add, kInteger, {kA, kB});
  const ExpressionPointer negated = Expression::Make(Operation::Negate, kInteger, {kA});
  const ExpressionPointer one = Expression::Integer(1, kInteger);
  EXPECT_EQ(Substitute(sum, {negated, one})->ToString(), "((-a) + 1)");
  EXPECT_EQ(Substitute(kB, {negated, one}), one);

  const ExpressionPointer t = Expression::Column(0, kVarchar, "t");
  const ExpressionPointer length = Named("length", kBigint, Expression::Column(1, kVarchar, "s"));
  EXPECT_EQ(Substitute(length, {nullptr, t})->ToString(), "length(t)");
}

TEST(Substitute, SharesWhatDoesNotChange) {
  const ExpressionPointer constant =
      Expression::Make(Operation::Negate, kInteger, {Expression::Integer(1, kInteger)});
  EXPECT_EQ(Substitute(constant, {}), constant);
  const ExpressionPointer sum = Expression::Make(Operation::Add, kInteger, {kA, constant});
  EXPECT_EQ(Substitute(sum, {kA}), sum);
  EXPECT_EQ(Substitute(sum, {kB})->Operands()[1], constant);
}

TEST(Substitute, RefusesMissingReplacementsAndOtherTypes) {
  EXPECT_THROW(Substitute(kB, {kA}), std::logic_error);
  EXPECT_THROW(Substitute(kA, {nullptr}), std::logic_error);
  EXPECT_THROW(Substitute(kA, {kP}), std::logic_error);
}

TEST(Substitute, ReplacesInBothFormsOfAFunction) {
  const ExpressionPointer by_row = Expression::Make(Operation::Length, kBigint, {kS});
  const ExpressionPointer other = Expression::Column(0, kVarchar, "other");
  const ExpressionPointer replaced =
      Substitute(Named("length", kBigint, kS, by_row), {nullptr, nullptr, nullptr, nullptr, other});
  EXPECT_EQ(replaced->ToString(), "length(other)");
  ASSERT_EQ(replaced->Operands().size(), 2U);
  EXPECT_EQ(replaced->Operand(1).ToString(), "LENGTH(other)");
}

TEST(ExpressionText, FunctionsOfText) {
  EXPECT_EQ(Expression::Make(Operation::Like, kBoolean, {kS, Text("a%")})->ToString(),
            "(s LIKE 'a%')");
  EXPECT_EQ(Expression::Make(Operation::Contains, kBoolean, {kS, Text("a'b")})->ToString(),
            "CONTAINS(s, 'a''b')");
  EXPECT_EQ(Expression::Make(Operation::ByteLength, kBigint, {kS})->ToString(), "STRLEN(s)");
  EXPECT_EQ(
      Expression::Make(Operation::Slice, kS->GetType(),
                       {kS, Expression::Integer(0, kBigint), Expression::Integer(-2, kBigint)})
          ->ToString(),
      "SLICE(s, 0, -2)");
}

TEST(SplitConjunction, FlattensNestedAnds) {
  const ExpressionPointer either = Expression::Make(Operation::Or, kBoolean, {kP, kQ});
  const ExpressionPointer inner = Expression::Make(Operation::And, kBoolean, {kQ, either});
  const ExpressionPointer outer = Expression::Make(Operation::And, kBoolean, {kP, inner, kQ});
  std::vector<ExpressionPointer> conjuncts{kQ};
  SplitConjunction(outer, conjuncts);
  EXPECT_EQ(conjuncts, (std::vector<ExpressionPointer>{kQ, kP, kQ, either, kQ}));
}

TEST(OperationName, EveryOperationHasOne) {
  for (int i = 0; i <= static_cast<int>(Operation::Dictionary); i++) {
    EXPECT_FALSE(OperationName(static_cast<Operation>(i)).empty());
  }
  EXPECT_EQ(OperationName(Operation::GreaterOrEqual), ">=");
  EXPECT_THROW(OperationName(static_cast<Operation>(255)), std::logic_error);
}

}  // namespace
}  // namespace margay::plan
