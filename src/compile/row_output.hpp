#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/expression_writer.hpp"
#include "storage/dictionary.hpp"

namespace margay::compile {

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

  //! Of one value in the output buffer.
  size_t Bytes() const {
    return text_column ? TextWords() * sizeof(uint32_t) : static_cast<size_t>(type.PhysicalBytes());
  }
  //! Of one text in the output buffer.
  size_t TextWords() const { return has_text_row ? 3 : 2; }

  //! The output of `expression`, in a kernel that reads `columns`.
  static RowOutput Of(const plan::ExpressionPointer& expression,
                      const std::vector<InputColumn>& columns, KernelContext scratch);
};

//! Writes the value of an output that is no text; of a string: its code.
Value WriteOutputValue(const plan::ExpressionPointer& expression, ExpressionWriter& writer);

//! The arguments of a kernel that writes `outputs`: `values<n>`, and `nulls<n>` (1 byte per row, or
//! 1 bit, all 0 before; 0 = NULL) where the output can be NULL.
std::vector<std::string> OutputArguments(const std::vector<RowOutput>& outputs);

//! Writes the code that puts `expression` at `position` of output `number`, in a kernel that reads
//! `columns`.
void WriteOutput(const RowOutput& output, size_t number, const plan::ExpressionPointer& expression,
                 const std::vector<InputColumn>& columns, ExpressionWriter& writer,
                 CodeBlock& block, const std::string& position);

//! The same for the string in row `row`, an int, of the column that holds its bytes, of an output
//! with a row. `value` says whether it is NULL.
void WriteTextOutput(const RowOutput& output, size_t number, const Value& value,
                     const InputColumn& column, const std::string& row, ExpressionWriter& writer,
                     CodeBlock& block, const std::string& position);

//! The same for a value that is there already, of an output that is no text.
void WriteOutput(const RowOutput& output, size_t number, const Value& value,
                 ExpressionWriter& writer, CodeBlock& block, const std::string& position);

}  // namespace margay::compile
