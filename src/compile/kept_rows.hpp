#pragma once

#include <vector>

#include "compile/join_table.hpp"
#include "compile/kept_column.hpp"

namespace margay::compile {

//! The column that holds `expression`, an output of rows that stay on the device, for which all of
//! `conjuncts` hold. Throws Unsupported.
KeptColumn KeepOutput(const plan::ExpressionPointer& expression, const KeptSize& rows,
                      const std::vector<plan::ExpressionPointer>& conjuncts, KernelContext scratch);

//! A column that holds the values of all of `columns`, of one type, one after the other. Strings
//! get one dictionary. Throws Unsupported.
KeptColumn Concatenation(const std::vector<KeptColumn>& columns);

//! Whether both have the same form, but for what is known about their values.
bool AreStoredAlike(const KeptColumn& left, const KeptColumn& right);

//! The output that writes `column` of rows: where there may be NULLs, a byte says so, not a bit.
RowOutput RowOutputOf(const KeptColumn& column);

//! Writes the value of `expression` as `column`, which can hold it, stores it.
Value WriteKept(const plan::ExpressionPointer& expression, const KeptColumn& column,
                ExpressionWriter& writer, KernelContext& context);

}  // namespace margay::compile
