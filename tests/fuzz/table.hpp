#pragma once

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
};

struct Table {
  std::string name;
  std::vector<Column> columns;

  std::string CreateStatement() const;
};

//! The content of a table, by columns.
struct Rows {
  size_t count = 0;
  std::vector<std::vector<Cell>> columns;

  //! Rows `first` to `last` - 1 taken out.
  Rows Without(size_t first, size_t last) const;
  std::string InsertStatement(const Table& table) const;
};

}  // namespace margay::fuzz
