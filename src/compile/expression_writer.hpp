#pragma once

#include <map>
#include <set>
#include <string>

#include "compile/code_block.hpp"
#include "compile/dialect.hpp"
#include "compile/kernel_context.hpp"
#include "compile/row_reader.hpp"
#include "compile/written_value.hpp"

namespace margay::compile {

//! A string in written code: some bytes behind an address.
struct WrittenText {
  std::string address;
  std::string begin;  //!< a uint; empty: 0
  std::string end;    //!< a uint

  //! The address and the number of bytes, as two arguments of a function.
  std::string Arguments() const;
};

//! Writes the code that computes values for one row, or a vector of rows, into a block, one
//! readable variable after the other. A node is computed once. A value out of its type's range sets
//! the variable `fault`, but only where the value counts.
class ExpressionWriter {
 public:
  ExpressionWriter(KernelContext& context, const RowReader& reader, CodeBlock& block,
                   const Dialect& dialect = Dialect::Row())
      : context_(context), reader_(reader), block_(block), dialect_(dialect) {}

  const Dialect& GetDialect() const { return dialect_; }
  KernelContext& Context() const { return context_; }
  CodeBlock& Block() const { return block_; }

  //! From here on values only count where the flag `condition` is set.
  void Restrict(const std::string& condition) { active_ = condition; }

  //! Writes the code of a value, with its errors.
  WrittenValue Write(const optimize::Value& value);
  //! Writes a string.
  WrittenText WriteText(const optimize::Node* text);
  //! Writes the string that `text`, of a text column, is in row `row`, a variable, of the column
  //! that holds the bytes. What it declares is good where that variable is.
  WrittenText WriteTextAt(const optimize::Node* text, const std::string& row);
  //! The row of the string of a text column, with the kernel's numbers, an int, in the column that
  //! holds its bytes; -1 where the row at hand is missing.
  std::string WriteTextRow(const InputColumn& column);
  //! The same for a row that is stored: never missing, as whoever reads it looks for its place.
  std::string WriteStoredTextRow(const InputColumn& column) {
    return "max(" + WriteTextRow(column) + ", 0)";
  }

  //! A flag: a boolean is true (and not NULL).
  std::string IsTrue(const WrittenValue& boolean);

  //! The code of `value` as another machine type that can hold it.
  std::string Convert(const WrittenValue& value, Machine machine) const {
    return dialect_.Convert(value, machine);
  }

  //! A new variable with the value of `code`.
  std::string Declare(Machine machine, const std::string& code) {
    return DeclareAs(dialect_.Type(machine), code);
  }
  std::string DeclareAs(const std::string& type, const std::string& code);

 private:
  //! The code of a node that is no text.
  std::string WriteNode(const optimize::Node* node);
  //! The code that computes it, of which its users get a variable.
  std::string ComputationOf(const optimize::Node& node);
  std::string WriteColumn(const optimize::Node& node);
  std::string WriteCall(const optimize::Node& node);
  WrittenText WriteNewText(const optimize::Node& text, const std::string& row);
  //! `row` is that of the column that holds the bytes; empty: the row at hand.
  WrittenText WriteTextColumn(const InputColumn& column, const std::string& row);
  WrittenText WriteSlice(const WrittenText& text, const std::string& call);
  WrittenText WriteEntry(const optimize::Node& entry);
  std::string ElementCode(const optimize::Node& node);
  //! How the row of a column is read: by `reader_`, or by its number.
  template <typename Read>
  std::string ReadColumn(const InputColumn& column, const Read& read);

  KernelContext& context_;
  const RowReader& reader_;
  CodeBlock& block_;
  const Dialect& dialect_;
  std::string active_;  //!< a flag: the row counts; empty: always
  std::map<const optimize::Node*, std::string> written_;
  std::map<const optimize::Node*, WrittenText> texts_;
  std::map<size_t, std::string> text_rows_;                         //!< by column
  std::set<std::pair<const optimize::Node*, std::string>> faults_;  //!< raised, and where
};

//! A literal of `value` for a machine integer type.
std::string IntegerLiteral(Int128 value, Machine machine);

}  // namespace margay::compile
