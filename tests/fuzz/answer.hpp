#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query.hpp"

namespace margay::fuzz {

//! What a query gave: rows or an error.
//!
//! A row is a string of bytes, its cells one after the other: a byte 0 for NULL, or a byte 1 and
//! the value: 16 bytes of an integer, 8 bytes of a double, or 4 bytes of length and a text. Types
//! that the plan doesn't know come as text.
struct Answer {
  std::optional<std::string> error;
  //! The error is Margay's reason for not running the query.
  bool refused = false;
  //! The error is one that no query should raise.
  bool shows_bug = false;
  std::vector<plan::Type> types;
  std::vector<std::string> rows;

  static void AppendNull(std::string& row) { row += '\0'; }
  static void AppendInteger(std::string& row, Int128 value);
  static void AppendReal(std::string& row, double value);
  static void AppendText(std::string& row, const std::string& value);

  //! The cells of a row as SQL literals.
  std::string RowText(size_t row) const;
};

//! How two answers differ, in one line for people; none if they agree as multisets of rows.
//! `reference` has a further column with the scale for each Scaled column.
std::optional<std::string> FindDifference(const Answer& reference, const Answer& found,
                                          const std::vector<Tolerance>& tolerances);

}  // namespace margay::fuzz
