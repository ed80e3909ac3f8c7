#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "join.hpp"
#include "sql_node.hpp"

namespace margay::fuzz {

//! How a column of two answers is compared.
enum class Tolerance : uint8_t {
  Exact,     //!< bit by bit, but NaN equals NaN
  ZeroFree,  //!< exact, but 0.0 equals -0.0: whichever row comes first decides
  Relative,  //!< of the size of the value, for averages of exact sums
  Scaled,    //!< of the size of the summands, for floating-point sums, in which values cancel out
};

//! One column of a query's result.
struct Item {
  enum class Kind : uint8_t { Scalar, Key, Aggregate };

  Kind kind = Kind::Scalar;
  std::string function;      //!< of an Aggregate; count(*) has no expression
  bool is_distinct = false;  //!< of an Aggregate
  std::string name;          //!< of the column; empty: DuckDB's choice
  SqlNode expression;
  std::optional<SqlNode> filter;  //!< of an Aggregate
  plan::Type
      expression_type;  //!< of `expression`, as DuckDB says; Varchar for a type of no interest

  std::string Text() const;
  Tolerance HowExact() const;
  //! The aggregate that gives the scale of a Scaled one: over finite absolute values.
  std::string ScaleText() const;
};

//! An aggregate of a query's result, in which it is the inner query.
struct OuterItem {
  std::string function;  //!< empty: a key of groups
  size_t column = 0;     //!< of the inner query

  std::string Text() const;
};

struct NamedQuery;

//! A query over a table and those that are joined with it.
struct Query {
  std::vector<NamedQuery> named;  //!< each may read those before it
  std::string table;
  std::string source;  //!< what is read under the name of the table; empty: the table itself
  std::vector<Join> joins;
  bool is_distinct = false;
  std::vector<Item> items;         //!< none: all columns of the table
  std::vector<SqlNode> conjuncts;  //!< of WHERE
  std::vector<SqlNode> having;     //!< its conjuncts
  std::string grouping;            //!< of the keys: ROLLUP or CUBE; empty: all of them together
  //! UNION or another set operation with the same query under other conditions, `second_conjuncts`;
  //! empty: none. Left out where a column has no exact value.
  std::string set_operation;
  std::vector<SqlNode> second_conjuncts;
  //! Empty: the query itself is the outer one. Those of columns that have no exact value are left
  //! out, and so are those of columns that there are no more.
  std::vector<OuterItem> outer;
  //! ORDER BY, perhaps with LIMIT and OFFSET: by all columns, so that rows that tie are the same.
  //! Left out where a column has no exact value.
  std::string order;

  //! Whether a row of the first table can appear several times.
  bool RepeatsRows() const;
  //! Whether there are sub-queries or CTEs.
  bool HasSubqueries() const;
  //! Whether the rows of the result have an order.
  bool IsOrdered() const { return HasOrder() && outer.empty(); }
  //! What follows FROM.
  std::string FromText() const;
  //! A text that names named queries, with what defines them.
  std::string Complete(std::string text) const;
  //! The query itself.
  std::string Text() const;
  //! The query with a further column for each Scaled one, in their order.
  std::string ReferenceText() const;
  std::vector<Tolerance> Tolerances() const;
  void ForEachNode(const std::function<void(SqlNode&)>& visit);

 private:
  std::string TextWith(const std::vector<std::string>& further_columns) const;
  //! Within an outer query, if there is one.
  std::string IncompleteText() const;
  //! The query without an order, under `conditions`.
  std::string SelectText(const std::vector<std::string>& further_columns,
                         const std::vector<SqlNode>& conditions) const;
  //! Whether all columns have exact values.
  bool IsExact() const;
  bool HasOrder() const;
  std::vector<OuterItem> VisibleOuter() const;
};

//! A query that others read from.
struct NamedQuery {
  enum class Form : uint8_t { InPlace, Common, Materialized, NotMaterialized };

  std::string name;
  Form form = Form::InPlace;
  Query query;  //!< its items have names, and no named queries of its own

  //! What stands for it in other queries until their text is complete.
  std::string Placeholder() const { return "{" + name + "}"; }
};

}  // namespace margay::fuzz
