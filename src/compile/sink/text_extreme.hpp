#pragma once

#include <string>

#include "compile/expression_writer.hpp"
#include "compile/sink/fold_code.hpp"

namespace margay::compile {

//! The least or the greatest string of a text column, known by its row in the column that holds the
//! bytes: a word of that row + 1, 0 for none. Rows are compared by their bytes, which were there
//! before the launch: no work-item reads what another one writes beside it.
class TextExtreme {
 public:
  //! `string` is that of a text column. `fold` is MinText or MaxText.
  TextExtreme(const optimize::Node* string, Fold fold) : string_(string), fold_(fold) {}

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

  const optimize::Node* string_;
  const Fold fold_;
};

}  // namespace margay::compile
