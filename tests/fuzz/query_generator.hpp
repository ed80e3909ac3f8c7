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
  virtual int Weight() const = 0;
  //! Adds items; the query has its source.
  virtual void AddItems(Query& query, ExpressionGenerator& generator) const = 0;
};

//! All shapes there are.
std::vector<std::unique_ptr<QueryShape>> MakeQueryShapes();

//! A query over one base table. Literals have no values yet.
Query DrawQuery(const Table& table, Random& random);

}  // namespace margay::fuzz
