#pragma once

#include <string>
#include <vector>

#include "duckdb/common/types/value.hpp"
#include "duckdb/planner/column_binding.hpp"
#include "duckdb/planner/expression.hpp"

namespace margay::integration {

//! What a bound expression is. DuckDB's classes are not the same in all versions: comparisons,
//! BETWEEN and casts are classes of their own in some, and functions with special names in others.
enum class ExpressionKind {
  Column,       //!< of an operator below, by its binding
  Reference,    //!< a column by its place in a chunk
  Constant,     //!< a value
  Parameter,    //!< a value that is not known yet
  Comparison,   //!< of two values, IS DISTINCT FROM too
  Between,      //!< a comparison with two bounds
  Conjunction,  //!< AND, OR
  Operator,     //!< NOT, IS NULL, COALESCE, IN and others
  Case,
  Cast,
  Function,  //!< a call of a function with a name
  Aggregate,
  Other,
};
ExpressionKind KindOf(const duckdb::Expression& expression);

//! The type of the values of any expression.
const duckdb::LogicalType& ReturnType(const duckdb::Expression& expression);

//! The name that the user gave; empty if none.
const std::string& AliasOf(const duckdb::Expression& expression);
void SetAlias(duckdb::Expression& expression, const std::string& alias);

using Expressions = duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>;

//! The arguments of a Conjunction, an Operator, a Function or an Aggregate.
const Expressions& ArgumentsOf(const duckdb::Expression& expression);

//! Adds an argument to an Operator.
void AddArgument(duckdb::Expression& expression, duckdb::unique_ptr<duckdb::Expression> argument);

//! DuckDB's name of a Function or an Aggregate.
const std::string& FunctionName(const duckdb::Expression& expression);

//! Whether a Function has a lambda among its arguments.
bool TakesLambda(const duckdb::Expression& expression);

//! The value of a Constant.
const duckdb::Value& ValueOf(const duckdb::Expression& expression);

//! What a Column refers to.
const duckdb::ColumnBinding& BindingOf(const duckdb::Expression& expression);

//! Whether a Column belongs to a query around the one that it stands in.
bool IsOuterColumn(const duckdb::Expression& expression);

//! The condition of the rows that an Aggregate takes; null for all rows.
const duckdb::Expression* FilterOf(const duckdb::Expression& expression);

//! Whether an Aggregate takes its rows in an order.
bool HasOrder(const duckdb::Expression& expression);

//! A Comparison; its kind is the expression's type.
struct ComparisonParts {
  const duckdb::Expression& left;
  const duckdb::Expression& right;
};
ComparisonParts PartsOfComparison(const duckdb::Expression& expression);

//! A Between.
struct BetweenParts {
  const duckdb::Expression& input;
  const duckdb::Expression& lower;
  const duckdb::Expression& upper;
  bool lower_inclusive;
  bool upper_inclusive;
};
BetweenParts PartsOfBetween(const duckdb::Expression& expression);

//! A Cast to the type of the expression.
struct CastParts {
  const duckdb::Expression& input;
  bool is_try;  //!< NULL in place of an error
};
CastParts PartsOfCast(const duckdb::Expression& expression);

//! A Case.
struct CaseParts {
  struct Branch {
    const duckdb::Expression& when;
    const duckdb::Expression& then;
  };
  std::vector<Branch> branches;
  const duckdb::Expression& otherwise;
};
CaseParts PartsOfCase(const duckdb::Expression& expression);

}  // namespace margay::integration
