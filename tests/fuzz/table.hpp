#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/expression.hpp"
#include "plan/type.hpp"

namespace margay::fuzz {

//! A value of a table or a literal of a query.
using Cell = plan::Constant;

//! SQL text that DuckDB reads back as exactly this value of exactly this type.
std::string Literal(const Cell& cell, const plan::Type& type);

//! What the strings of a VARCHAR column look like, so that casts from it succeed now and then.
enum class Vocabulary : uint8_t { Words, Numbers, Dates, Booleans };

struct Column {
  std::string name;
  plan::Type type;
  Vocabulary vocabulary = Vocabulary::Words;
  bool not_null = false;
  bool is_key = false;              //!< of a join: few values, some of them often
  bool is_unique = false;           //!< rows that repeat a value are left out
  std::optional<std::string> like;  //!< an earlier column whose values it has too
  bool is_stored = true;  //!< false: of a sub-query, with values of `like` if there is that
  std::string qualifier;  //!< the name in FROM by which a query tells it from others; or empty

  //! What a query calls it.
  std::string Text() const { return qualifier.empty() ? name : qualifier + "." + name; }
  //! The stored column whose values it has.
  std::optional<std::string> Stored() const { return is_stored ? name : like; }
};

//! The names of columns are different ones in all tables of a query.
struct Table {
  std::string name;
  std::vector<Column> columns;

  //! The same columns, read under the name `qualifier`.
  Table Qualified(const std::string& qualifier) const;
  bool HasFloats() const;
  std::string CreateStatement() const;
};

//! The content of a table, by columns.
struct Rows {
  size_t count = 0;
  std::vector<std::vector<Cell>> columns;

  //! Rows `first` to `last` - 1 taken out.
  Rows Without(size_t first, size_t last) const;
  //! Only the first row of those with an equal value in `column`; NULLs all stay.
  Rows WithoutRepeated(size_t column) const;
  std::string InsertStatement(const Table& table) const;
};

}  // namespace margay::fuzz
