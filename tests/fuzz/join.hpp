#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sql_node.hpp"

namespace margay::fuzz {

//! One equality of a join.
struct JoinKey {
  SqlNode probe;   //!< over the tables before
  SqlNode joined;  //!< over the joined table
  bool nulls_are_equal = false;

  std::string Text() const;
};

//! A further table of a query, and how its rows meet those of the tables before.
struct Join {
  enum class Kind : uint8_t { Inner, Left, Right, Full, Semi, Anti };
  //! How a Semi or an Anti is written; the others always stand in FROM.
  enum class Form : uint8_t { From, Exists, In };

  Kind kind = Kind::Inner;
  Form form = Form::From;
  std::string table;
  std::string source;            //!< what is read under that name; empty: the table itself
  bool keys_are_unique = false;  //!< no two rows of the joined table have equal keys
  std::vector<JoinKey> keys;     //!< none: all pairs of rows that satisfy the residuals
  std::vector<SqlNode> residuals;
  std::vector<SqlNode> filters;  //!< over the joined table alone

  //! Whether the query can name the columns of the joined table.
  bool GivesColumns() const { return kind != Kind::Semi && kind != Kind::Anti; }
  //! The joined table as FROM names it.
  std::string SourceText() const { return source.empty() ? table : source + " AS " + table; }
  //! What it adds to FROM; nothing in the other forms.
  std::string FromText() const;
  //! What it adds to WHERE; nothing in the form From.
  std::string WhereText() const;
  void ForEachNode(const std::function<void(SqlNode&)>& visit);
};

//! The columns that a query can name: those of the first table and of each joined one that gives
//! them. `joins` belong to the tables behind the first.
Table VisibleColumns(const std::vector<Table>& tables, const std::vector<Join>& joins);

}  // namespace margay::fuzz
