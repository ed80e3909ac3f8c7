#pragma once

#include <string>
#include <vector>

#include "compile/expression_writer.hpp"
#include "optimize/physical/row_output.hpp"

namespace margay::compile {

using optimize::RowOutput;

//! Adds the arguments of a kernel that writes `outputs`: values, and NULLs (1 byte per row, or 1
//! bit, all 0 before; 0 = NULL) where the output can be NULL.
void AddOutputArguments(const std::vector<RowOutput>& outputs, ArgumentList& arguments);

//! Writes the code that puts the value of output `number` at `position`, in a kernel that reads
//! `columns`, with the kernel's numbers, which its text column is one of.
void WriteOutput(const RowOutput& output, size_t number, const std::vector<InputColumn>& columns,
                 ExpressionWriter& writer, CodeBlock& block, const std::string& position);

}  // namespace margay::compile
