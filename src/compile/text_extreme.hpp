#pragma once

#include <string>

#include "compile/accumulator.hpp"
#include "compile/expression_writer.hpp"

namespace margay::compile {

//! The least or the greatest string of a text column, known by its row in the column that holds the
//! bytes: a word of that row + 1, 0 for none. Rows are compared by their bytes, which were there
//! before the launch: no work-item reads what another one writes beside it.
class TextExtreme {
 public:
  //! `column` is text and outlives the object. `fold` is MinText or MaxText.
  TextExtreme(const InputColumn& column, Fold fold) : column_(column), fold_(fold) {}

  //! Throws Unsupported where rows have no number.
  void Check() const;

  //! Writes how the word `from`, a variable of a string, is folded into the variable `into`.
  void WriteFold(KernelContext& context, CodeBlock& block, const std::string& into,
                 const std::string& from) const;
  //! The same for a variable that may be of no string, and a word in global memory that other
  //! work-items update at once; `into` points to it.
  void WriteAtomicFold(KernelContext& context, CodeBlock& block, const std::string& into,
                       const std::string& from) const;

 private:
  //! A flag: the string of word `from` takes the place of that of `held`.
  std::string IsBetter(KernelContext& context, CodeBlock& block, const std::string& from,
                       const std::string& held) const;

  const InputColumn& column_;
  const Fold fold_;
};

}  // namespace margay::compile
