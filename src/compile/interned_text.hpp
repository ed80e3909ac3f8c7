#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/expression_writer.hpp"

namespace margay::compile {

//! The strings of a text column, or slices of them, as numbers: equal strings have one, the row of
//! one of them in the column that holds their bytes. A hash table of such rows, which all
//! work-items fill, finds it:
//!   interned<number>       slots x uint   row + 1, 0 for none
//!   interned_mask<number>  ulong          slots - 1
//! `number` tells the tables of a kernel apart.
//! It has room for all strings that there can be. Rows are compared by their bytes, which were
//! there before the launch: no work-item reads what another one writes beside it.
class InternedText {
 public:
  //! `column` is text and outlives the object. `scanned` is the table that is scanned. Throws
  //! Unsupported.
  InternedText(const InputColumn& column, size_t scanned, size_t number);

  //! Of the table: a power of two.
  static uint64_t Slots(const InputColumn& column);
  //! The arguments of a kernel that fills the table.
  static std::vector<std::string> Arguments(size_t number);

  //! Writes the number of the string at hand, which is some row where it is NULL.
  Value Write(ExpressionWriter& writer) const;

 private:
  const InputColumn& column_;
  const size_t number_;
};

}  // namespace margay::compile
