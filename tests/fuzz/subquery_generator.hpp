#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "random.hpp"
#include "sql_node.hpp"
#include "table.hpp"

namespace margay::fuzz {

//! Draws expressions that are sub-queries, correlated or not. Each reads one table: a new one, one
//! of the query's, or a named query. All columns have qualifiers, so that none hides another.
class SubqueryGenerator {
 public:
  //! `tables`: those that are stored, to which new ones are added; `named`: further ones to read.
  SubqueryGenerator(std::vector<Table>& tables, const std::vector<Table>& named, Random& random)
      : tables_(tables), named_(named), random_(random) {}

  //! EXISTS, IN, ANY, ALL or a comparison with a value, perhaps negated or in a disjunction.
  //! `outer`: the columns that it may name.
  SqlNode Predicate(const Table& outer) { return Predicate(outer, 0); }
  //! A sub-query that gives one exact value: mostly an aggregate. One that gives a row may give
  //! several, which is an error.
  SqlNode Value(const Table& outer) { return Value(outer, 0); }
  //! The same, but always an aggregate that is a number.
  SqlNode Number(const Table& outer);

 private:
  //! A sub-query at work.
  struct Scope {
    Table outer;
    std::string from;
    Table inner;                  //!< what it reads
    std::optional<size_t> added;  //!< the number of that table, if it is a new one
    std::vector<SqlNode> conditions;

    //! The columns of what it reads, and of what is around it.
    Table Both() const;
  };

  SqlNode Predicate(const Table& outer, int level);
  SqlNode PlainPredicate(const Table& outer, int level);
  SqlNode Value(const Table& outer, int level);
  Scope DrawScope(const Table& outer);
  //! Conditions within the sub-query; `correlations`: those that compare with outer columns too.
  void AddConditions(Scope& scope, bool correlations, int level);
  //! An outer and an inner column to be compared.
  std::optional<std::pair<Column, Column>> DrawPair(Scope& scope);
  void AddCorrelation(Scope& scope, const std::vector<const char*>& comparisons);
  //! `(SELECT result FROM ... WHERE ... end`.
  static SqlNode Select(std::string beginning, std::vector<SqlNode> result, Scope scope,
                        const std::string& end);
  //! `gives_number`: for columns of all types.
  SqlNode Aggregate(Scope scope, bool gives_number);

  std::vector<Table>& tables_;
  const std::vector<Table>& named_;
  Random& random_;
  size_t count_ = 0;
};

}  // namespace margay::fuzz
