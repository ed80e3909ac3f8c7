// What is known about expressions without a line of code: ranges, NULLs, errors, machine types.
#include "optimize/value/value_builder.hpp"

#include <gtest/gtest.h>

#include "optimize/unsupported.hpp"

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::Operation;
using plan::TypeKind;

InputColumn MakeColumn(size_t number, plan::Type type, Int128 min, Int128 max, bool has_nulls,
                       size_t table = 0) {
  storage::ColumnForm::Parts parts;
  parts.type = type;
  parts.width = 4;
  parts.rows = parts.statistics.rows = 1000;
  parts.statistics.min = min;
  parts.statistics.max = max;
  parts.has_validity = has_nulls;
  return {number, table, "c" + std::to_string(number),
          std::make_shared<storage::ColumnForm>(std::move(parts))};
}

class ValueBuilderTest : public testing::Test {
 protected:
  //! Column 0: INTEGER from 0 to 100. 1: BIGINT, all values, with NULLs. 2: BIGINT up to 1000 of a
  //! joined table. 3: DATE, the 1990s.
  const std::vector<InputColumn> columns_{
      MakeColumn(0, TypeKind::Int32, 0, 100, false),
      MakeColumn(1, TypeKind::Int64, INT64_MIN, INT64_MAX, true),
      MakeColumn(2, TypeKind::Int64, 0, 1000, false, 1),
      MakeColumn(3, TypeKind::Date, 7305, 10956, false)};
  DictionaryCache dictionaries_{columns_};
  const ValueContext context_{columns_, dictionaries_, 0, {1}};
  NodeGraph graph_;
  Parameters parameters_;
  ValueBuilder builder_{context_, graph_, parameters_};

  ExpressionPointer Column(size_t number) const {
    return Expression::Column(number, columns_[number].form->Type(), columns_[number].name);
  }
  static ExpressionPointer Integer(int64_t value, plan::Type type = TypeKind::Int32) {
    return Expression::Integer(value, type);
  }
  static ExpressionPointer Make(Operation operation, plan::Type type,
                                std::vector<ExpressionPointer> operands) {
    return Expression::Make(operation, type, std::move(operands));
  }
};

TEST_F(ValueBuilderTest, RangesChooseMachineTypes) {
  const Value narrow =
      builder_.Build(Make(Operation::Multiply, TypeKind::Int32, {Column(0), Column(0)}));
  EXPECT_EQ(narrow.range, (Range{0, 10'000, true}));
  EXPECT_EQ(narrow.GetMachine(), Machine::Int32);
  EXPECT_FALSE(narrow.CanFault());
  EXPECT_FALSE(narrow.CanBeNull());
  const Value wide = builder_.Build(Make(Operation::Add, TypeKind::Int64, {Column(1), Column(1)}));
  // Computed in 128 bits, checked, and cut to its type.
  EXPECT_EQ(wide.GetMachine(), Machine::Int64);
  EXPECT_TRUE(wide.CanFault());
  EXPECT_TRUE(wide.CanBeNull());
}

TEST_F(ValueBuilderTest, ConstantsAreKnownByTheirWidth) {
  const auto sum = [&](int64_t constant) {
    return builder_.Build(Make(Operation::Add, TypeKind::Int32, {Column(0), Integer(constant)}));
  };
  const Value one = sum(1), other = sum(100);
  EXPECT_EQ(one.range, other.range);
  EXPECT_EQ(one.range, (Range{-128, 227, true}));
  EXPECT_EQ(one.domain, (Range{1, 101, true}));
  EXPECT_EQ(other.domain, (Range{100, 200, true}));
  EXPECT_EQ(parameters_.Words(), (std::vector<int64_t>{1, 100}));
}

TEST_F(ValueBuilderTest, EqualExpressionsAreOneValueButForConstants) {
  const auto less = [&](int64_t constant) {
    return Make(Operation::Less, TypeKind::Boolean, {Column(0), Integer(constant)});
  };
  EXPECT_EQ(builder_.Build(less(7)).node, builder_.Build(less(7)).node);
  EXPECT_EQ(parameters_.Words().size(), 1);
  EXPECT_NE(builder_.Build(less(8)).node, builder_.Build(less(7)).node);
  // The same number in two expressions is two constants: in the next query they may differ.
  builder_.Build(Make(Operation::Greater, TypeKind::Boolean, {Column(0), Integer(7)}));
  EXPECT_EQ(parameters_.Words(), (std::vector<int64_t>{7, 8, 7}));
}

TEST_F(ValueBuilderTest, RowsThatJoinsMayMissAreNull) {
  EXPECT_TRUE(builder_.Build(Column(2)).CanBeNull());
  const ValueContext without{columns_, dictionaries_, 0};
  ValueBuilder builder(without, graph_, parameters_);
  EXPECT_FALSE(builder.Build(Column(2)).CanBeNull());
}

TEST_F(ValueBuilderTest, ErrorsCountWhereTheirBranchIsTaken) {
  const ExpressionPointer risky = Make(Operation::Add, TypeKind::Int64, {Column(1), Column(1)});
  EXPECT_TRUE(CanFault(risky, context_));
  // An error counts although only whether the value is NULL is asked for.
  EXPECT_TRUE(CanFault(Make(Operation::IsNull, TypeKind::Boolean, {risky}), context_));
  const ExpressionPointer guarded =
      Make(Operation::Case, TypeKind::Int64,
           {Make(Operation::Less, TypeKind::Boolean, {Column(0), Integer(5)}), risky,
            Integer(0, TypeKind::Int64)});
  const Value value = builder_.Build(guarded), unguarded = builder_.Build(risky);
  ASSERT_EQ(value.faults.size(), 1);
  ASSERT_EQ(unguarded.faults.size(), 1);
  EXPECT_NE(value.faults[0], unguarded.faults[0]);
  EXPECT_FALSE(CanFault(Column(0), context_));
}

TEST_F(ValueBuilderTest, PartsOfDatesHaveTheRangesOfTheirColumns) {
  const Value year = builder_.Build(
      Expression::PartOf(Operation::DatePart, plan::DatePart::Year, TypeKind::Int64, Column(3)));
  EXPECT_EQ(year.domain, (Range{1990, 1999, true}));
  EXPECT_EQ(year.GetMachine(), Machine::Int32);
  EXPECT_FALSE(year.CanFault());
}

TEST_F(ValueBuilderTest, AFailedExpressionLeavesNothingBehind) {
  const ExpressionPointer text = Expression::Null(TypeKind::Varchar);
  const ExpressionPointer refused =
      Make(Operation::Case, TypeKind::Varchar,
           {Make(Operation::Less, TypeKind::Boolean, {Column(0), Integer(5)}), text, text});
  EXPECT_THROW(builder_.Build(refused), Unsupported);
  const Value value = builder_.Build(Make(Operation::Add, TypeKind::Int64, {Column(1), Column(1)}));
  EXPECT_EQ(value.faults.size(), 1);
}

TEST_F(ValueBuilderTest, TablesAreMadeWhenTheyAreAskedFor) {
  std::vector<ExpressionPointer> operands{Column(0)};
  for (int64_t i = 0; i < 20; i++)
    operands.push_back(Integer(3 * i));
  const Value in = builder_.Build(Make(Operation::In, TypeKind::Boolean, operands));
  EXPECT_EQ(in.range, (Range{0, 1, true}));
  EXPECT_EQ(parameters_.TableBytes(), 8);  // a bit for each value from 0 to 57
  EXPECT_EQ(parameters_.Tables()[0], 0b01001001);
}

}  // namespace
}  // namespace margay::optimize
