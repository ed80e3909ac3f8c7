#pragma once

#include <memory>
#include <string>
#include <vector>

#include "random.hpp"
#include "sql_node.hpp"
#include "table.hpp"

namespace margay::fuzz {

class ExpressionConstruct;

//! Draws expressions over the columns of one table, or of several as if they were one.
class ExpressionGenerator {
 public:
  //! `wild`: arithmetic in any type, although it overflows often; else mostly in wide ones.
  ExpressionGenerator(const Table& table, Random& random, bool wild);

  //! An expression of exactly this type, with at most `depth` constructs inside each other.
  SqlNode OfType(const plan::Type& type, int depth);
  SqlNode Predicate(int depth) { return OfType(plan::TypeKind::Boolean, depth); }
  //! A number of a type that DuckDB derives: operands of different types meet.
  SqlNode Number(int depth);
  //! An expression of any kind, mostly of the type of a column.
  SqlNode Any(int depth);

  SqlNode Leaf(const plan::Type& type);
  SqlNode NewLiteral(const plan::Type& type, std::optional<size_t> like_column = {},
                     LiteralRole role = LiteralRole::Value);
  SqlNode ColumnLeaf(size_t column) const;
  //! A cast; unless wild, mostly a TRY_CAST where the type has little room.
  SqlNode CastTo(const plan::Type& type, SqlNode operand);
  //! The columns that satisfy `condition`.
  template <typename Condition>
  std::vector<size_t> ColumnsWhere(Condition condition) const {
    std::vector<size_t> columns;
    for (size_t i = 0; i < table_.columns.size(); i++) {
      if (condition(table_.columns[i])) {
        columns.push_back(i);
      }
    }
    return columns;
  }

  const Table& GetTable() const { return table_; }
  Random& GetRandom() { return random_; }
  bool IsWild() const { return wild_; }

 private:
  const Table& table_;
  Random& random_;
  bool wild_;
  std::vector<std::unique_ptr<ExpressionConstruct>> constructs_;
};

//! One way to build an expression: an operator, a function, CASE, ...
class ExpressionConstruct {
 public:
  virtual ~ExpressionConstruct() = default;
  //! How often it should be used where an expression of `type` is needed; 0: it can't give one.
  virtual int Weight(const plan::Type& type, const ExpressionGenerator& generator) const = 0;
  //! `depth` is left for the operands.
  virtual SqlNode Make(const plan::Type& type, ExpressionGenerator& generator, int depth) const = 0;
};

//! Adds those that are functions of numbers, dates and timestamps.
void AddFunctionConstructs(std::vector<std::unique_ptr<ExpressionConstruct>>& constructs);

//! All constructs there are.
std::vector<std::unique_ptr<ExpressionConstruct>> MakeExpressionConstructs();

bool IsInteger(const plan::Type& type);
bool IsUnsigned(const plan::Type& type);
bool IsNumber(const plan::Type& type);
bool IsTemporal(const plan::Type& type);

}  // namespace margay::fuzz
