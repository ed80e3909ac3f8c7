#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compile/expression_writer.hpp"
#include "storage/dictionary.hpp"

namespace margay::compile {

//! The argument of a minimum or maximum of strings: a VARCHAR column, or a function of one with a
//! dictionary, NULL where a condition is not true.
struct StringArgument {
  plan::ExpressionPointer string;
  plan::ExpressionPointer condition;  //!< null: there is none

  //! None where `argument`, a VARCHAR, is another expression.
  static std::optional<StringArgument> Find(const plan::ExpressionPointer& argument);
  //! The same; throws Unsupported.
  static StringArgument Of(const plan::ExpressionPointer& argument);
  //! The column of `argument`, one of `columns`, if that is text; else null.
  static const InputColumn* FindText(const plan::ExpressionPointer& argument,
                                     const std::vector<InputColumn>& columns);

  //! What the strings' codes stand for; null if they are text. `columns` are those of the kernel.
  std::shared_ptr<const storage::Dictionary> Texts(ExpressionWriter& writer,
                                                   const std::vector<InputColumn>& columns) const;
  //! Writes the string of the row at hand: its code, or, if it is text, the word of it that
  //! TextExtreme folds. `columns` are those of the kernel.
  Value Write(ExpressionWriter& writer, const std::vector<InputColumn>& columns) const;
};

}  // namespace margay::compile
