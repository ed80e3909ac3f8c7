#include "optimize/estimate/uniqueness.hpp"

#include <gtest/gtest.h>

namespace margay::optimize {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::Operation;
using plan::TypeKind;

//! Columns of table 1: two keys of groups and another column; then a key of table 2.
std::vector<InputColumn> Columns() {
  std::vector<InputColumn> columns;
  for (const auto& [table, group_keys] :
       std::vector<std::pair<size_t, size_t>>{{1, 2}, {1, 2}, {1, 0}, {2, 1}}) {
    storage::ColumnForm::Parts form;
    form.type = TypeKind::Int64;
    form.group_keys = group_keys;
    columns.push_back(
        {columns.size(), table, "c", std::make_shared<const storage::ColumnForm>(form), nullptr});
  }
  return columns;
}

ExpressionPointer Column(size_t number) {
  return Expression::Column(number, TypeKind::Int64, "c");
}

TEST(UniquenessTest, AllKeysOfGroupsTellRowsApart) {
  const std::vector<InputColumn> columns = Columns();
  EXPECT_TRUE(AreGroupKeys({Column(0), Column(1)}, columns, 1));
  EXPECT_TRUE(AreGroupKeys({Column(2), Column(1), Column(0)}, columns, 1));
  EXPECT_TRUE(AreGroupKeys({Column(3)}, columns, 2));
  const ExpressionPointer shifted = Expression::Make(
      Operation::Add, TypeKind::Int64, {Column(1), Expression::Integer(7, TypeKind::Int64)});
  EXPECT_TRUE(AreGroupKeys({Column(0), shifted}, columns, 1));
}

TEST(UniquenessTest, SomeKeysOfGroupsDoNot) {
  const std::vector<InputColumn> columns = Columns();
  EXPECT_FALSE(AreGroupKeys({}, columns, 1));
  EXPECT_FALSE(AreGroupKeys({Column(0)}, columns, 1));
  EXPECT_FALSE(AreGroupKeys({Column(0), Column(0)}, columns, 1));
  EXPECT_FALSE(AreGroupKeys({Column(0), Column(2)}, columns, 1));
  EXPECT_FALSE(AreGroupKeys({Column(0), Column(3)}, columns, 1));
  const ExpressionPointer product =
      Expression::Make(Operation::Multiply, TypeKind::Int64, {Column(1), Column(1)});
  EXPECT_FALSE(AreGroupKeys({Column(0), product}, columns, 1));
}

}  // namespace
}  // namespace margay::optimize
