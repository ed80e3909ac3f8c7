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
  //! Text: the column whose strings they are, by its place among the kernel's columns. Values are
  //! pairs of begin and end in the segment's bytes.
  std::optional<size_t> text_column;
  //! The result is this function of the text, which the host computes.
  std::shared_ptr<const plan::DictionaryFunction> function;

  //! Of one value in the output buffer.
  size_t Bytes() const {
    return text_column ? 2 * sizeof(uint32_t) : static_cast<size_t>(type.PhysicalBytes());
  }

  //! The output of `expression`, in a kernel that scans `columns`.
  static RowOutput Of(const plan::ExpressionPointer& expression,
                      const std::vector<InputColumn>& columns, KernelContext scratch);
};

//! Writes the value of an output that is no text; of a string: its code.
Value WriteOutputValue(const plan::ExpressionPointer& expression, ExpressionWriter& writer);

//! The arguments of a kernel that writes `outputs`: `values<n>`, and `nulls<n>` (1 byte per row, or
//! 1 bit, all 0 before; 0 = NULL) where the output can be NULL.
std::vector<std::string> OutputArguments(const std::vector<RowOutput>& outputs);

//! Writes the code that puts `expression` at `position` of output `number`, in a kernel that scans
//! `columns`.
void WriteOutput(const RowOutput& output, size_t number, const plan::ExpressionPointer& expression,
                 const std::vector<InputColumn>& columns, ExpressionWriter& writer,
                 CodeBlock& block, const std::string& position);

//! The same for a value that is there already, of an output that is no text.
void WriteOutput(const RowOutput& output, size_t number, const Value& value,
                 ExpressionWriter& writer, CodeBlock& block, const std::string& position);

}  // namespace margay::compile
