#pragma once

#include <memory>
#include <vector>

#include "expression_generator.hpp"
#include "query.hpp"

namespace margay::fuzz {

//! Draws the items and conditions of queries of one kind.
class QueryShape {
 public:
  virtual ~QueryShape() = default;
  //! How often it should be used; the query has its tables.
  virtual int Weight(const Query& query) const = 0;
  //! Adds items; the query has its tables.
  virtual void AddItems(Query& query, ExpressionGenerator& generator) const = 0;
};

//! All shapes there are.
std::vector<std::unique_ptr<QueryShape>> MakeQueryShapes();

//! A query over the first table, with joins with those behind it. Of 100 queries
//! `subquery_percent` have sub-queries and CTEs; the tables that these read besides are put behind
//! the others. Literals have no values yet.
Query DrawQuery(std::vector<Table>& tables, std::vector<Join> joins, int subquery_percent,
                Random& random);

}  // namespace margay::fuzz
