#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "optimize/value/value_builder.hpp"
#include "storage/dictionary.hpp"

namespace margay::optimize {

//! A column that a kernel writes a value of for each row, or group, of a result.
struct RowOutput {
  plan::Type type;
  bool can_be_null = false;
  bool has_validity_bits = false;  //!< NULLs are 0 bits, as in columns that kernels read
  std::shared_ptr<const storage::Dictionary> texts;  //!< Varchar: values are codes into this
  //! Text: the column whose strings, or slices of them, they are, by its place among the kernel's
  //! columns. Values are begin and end in the segment's bytes, as uints.
  std::optional<size_t> text_column;
  //! Text of a table whose rows are found by their numbers: the number, or -1 for none, follows
  //! begin and end.
  bool has_text_row = false;
  //! The result is this function of the text, which the host computes.
  std::shared_ptr<const plan::DictionaryFunction> function;

  //! What is written; of a string its code, of text only whether it is NULL, or its row.
  Value value;
  const Node* string = nullptr;  //!< of text
  bool is_at_row = false;        //!< the string is that of the row `value` in its column

  //! Of one value in the output buffer.
  size_t Bytes() const {
    return text_column ? TextWords() * sizeof(uint32_t) : static_cast<size_t>(type.PhysicalBytes());
  }
  //! Of one text in the output buffer.
  size_t TextWords() const { return has_text_row ? 3 : 2; }

  //! The output of `expression`, in a kernel that reads `columns`. Throws Unsupported.
  static RowOutput Of(const plan::ExpressionPointer& expression,
                      const std::vector<InputColumn>& columns, ValueBuilder& builder);
};

//! A string as a code.
struct CodedText {
  Value code;
  std::shared_ptr<const storage::Dictionary> texts;
};

//! Builds a string that is no text column. Throws Unsupported.
CodedText BuildCode(const plan::ExpressionPointer& expression, ValueBuilder& builder);

}  // namespace margay::optimize
