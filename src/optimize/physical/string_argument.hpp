#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "optimize/value/value_builder.hpp"
#include "storage/dictionary.hpp"

namespace margay::optimize {

//! The argument of a minimum or maximum of strings: a VARCHAR column, or a function of one with a
//! dictionary, NULL where a condition is not true.
struct StringArgument {
  //! A string as a number that is folded.
  struct Number {
    //! Its code, or, if it is text, the word of it that TextExtreme folds.
    Value value;
    std::shared_ptr<const storage::Dictionary> texts;  //!< what codes stand for; null for text
  };

  plan::ExpressionPointer string;
  plan::ExpressionPointer condition;  //!< null: there is none

  //! That of `argument`, a VARCHAR; none where it is another expression.
  static std::optional<StringArgument> Find(const plan::ExpressionPointer& argument);
  //! The same; throws Unsupported.
  static StringArgument Of(const plan::ExpressionPointer& argument);
  //! The column of `argument`, one of `columns`, if that is text; else null.
  static const InputColumn* FindText(const plan::ExpressionPointer& argument,
                                     const std::vector<InputColumn>& columns);

  Number Build(ValueBuilder& builder) const;
};

}  // namespace margay::optimize
