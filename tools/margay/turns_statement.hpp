#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"
#include "turns_words.hpp"

namespace margay::tool {

//! One statement of the benchmark "turns", made at random over the tables of TurnsData: an
//! aggregate, groups with or without a limit, an aggregate of groups, or the first rows of an
//! order. It has one answer with one order of its rows, of 2,500 rows at most.
class TurnsStatement {
 public:
  explicit TurnsStatement(Random random);

  const std::string& Sql() const { return sql_; }

 private:
  //! A true value in one of `count` cases on average.
  bool OneIn(int64_t count);
  //! Puts a number in the place of each "#".
  std::string FilterText(const TurnsTable::Filter& filter);

  void ChooseTables();
  void ChooseFilters();
  void ChooseKeys(size_t count);
  //! What a table that is not joined must have, or must not have, for a fact to count.
  std::string SemiJoin(const TurnsTable& table);
  //! A number over the tables that are joined.
  const std::string& Number();
  std::string Aggregate();
  //! One of those that have an exact value, so that an order by it is clear.
  std::string ExactAggregate();

  std::string Tables() const;
  std::string Where() const;
  //! "`values` AS key_1, ..." and their names alone.
  std::string KeyColumns() const;
  std::string KeyNames() const;
  //! "sum(x) AS value_1, ..." of as many aggregates; the first one is exact.
  std::string ValueColumns(int64_t count);

  std::string Ungrouped();
  std::string Grouped();
  std::string Nested();
  std::string FirstRows();

  Random random_;
  std::vector<const TurnsTable*> joined_;
  //! "JOIN" or "LEFT JOIN", of each table joined.
  std::vector<std::string> join_words_;
  std::vector<std::string> filters_;
  std::vector<TurnsTable::Key> keys_;
  std::string sql_;
};

}  // namespace margay::tool
