#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/expression_writer.hpp"
#include "optimize/physical/aggregate_layout.hpp"

namespace margay::compile {

//! The strings of a text column, or slices of them, as numbers: equal strings have one, the row of
//! one of them in the column that holds their bytes. A hash table of such rows, which all
//! work-items fill, finds it:
//!   interned<number>       slots x uint   row + 1, 0 for none
//!   interned_mask<number>  ulong          slots - 1
//! `number` tells the tables of a kernel apart. Where groups are hashed, it has as many slots as
//! their table, which gets full first: there are no fewer groups than strings. Else it has room for
//! all strings that there can be.
//! Rows are compared by their bytes, which were there before the launch: no work-item reads what
//! another one writes beside it. Before a work-item asks the table, which all wait for, it looks
//! among the numbers that it found last:
//!   recent<number>         int            one per place of a hash, -1 for none
//!   recent_hash<number>    ulong          of the string
class InternedText {
 public:
  //! `key` is text and outlives the object.
  InternedText(const optimize::GroupKey& key, size_t number) : key_(key), number_(number) {}

  //! Of the table; a power of two. `groups` are the slots of the table of groups.
  static uint64_t Slots(const InputColumn& column, const optimize::SharedGroups& shared,
                        uint64_t groups);
  //! Adds the arguments of a kernel that fills the table.
  static void AddArguments(size_t number, ArgumentList& arguments);
  //! Declares the numbers that a work-item of `shape` found last, for Write.
  static void WriteRecent(CodeBlock& block, size_t number, optimize::Shape shape);

  //! Declares the number of the string at hand as `interned_row<number>`; it is some row where the
  //! string is NULL.
  void Write(ExpressionWriter& writer) const;

 private:
  const optimize::GroupKey& key_;
  const size_t number_;
};

}  // namespace margay::compile
