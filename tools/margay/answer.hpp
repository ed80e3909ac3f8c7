#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>

namespace margay::tool {

//! What one statement gave: rows, or nothing for statements like CREATE TABLE.
class Answer {
 public:
  //! Holds the DuckDB objects; known to session.cpp and to the files that implement this class.
  struct State;

  explicit Answer(std::unique_ptr<State> state);
  ~Answer();
  Answer(Answer&&) noexcept;
  Answer& operator=(Answer&&) noexcept;

  //! The statement is one that gives rows (perhaps none this time).
  bool HasRows() const;

  //! Of a materialized answer.
  size_t RowCount() const;
  //! The text of a cell of a materialized answer; NULL is "NULL".
  std::string Text(size_t row, size_t column) const;

  //! The first place where this answer differs from `other`, or an empty string. Names, types,
  //! order and values must be the same; floating-point values may differ by 1e-9 of their size.
  //! Both are materialized.
  std::string Difference(const Answer& other) const;

  //! DuckDB's box, at most `largest_rows` rows of it, and no wider than the terminal where standard
  //! output is one; EXPLAIN prints its text. Materialized.
  void WriteBox(std::ostream& output, size_t largest_rows) const;

  //! A header line and one line per row, as in RFC 4180; NULL is an empty field, an empty string is
  //! "". Reads a streamed answer to its end. Throws SqlError.
  void WriteCsv(std::ostream& output);

  //! An array with one object per row. Numbers keep all their digits. Reads a streamed answer to
  //! its end. Throws SqlError.
  void WriteJson(std::ostream& output);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace margay::tool
