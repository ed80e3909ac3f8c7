#pragma once

#include <vector>

#include "optimize/physical/join_table.hpp"
#include "optimize/physical/kept_column.hpp"

namespace margay::optimize {

//! The column that holds `expression`, an output of rows that stay on the device, for which all of
//! `conjuncts` hold. Throws Unsupported.
KeptColumn KeepOutput(const plan::ExpressionPointer& expression, const KeptSize& rows,
                      const std::vector<plan::ExpressionPointer>& conjuncts, ValueBuilder& builder);

//! A column that holds the values of all of `columns`, of one type, one after the other. Strings
//! get one dictionary. Throws Unsupported.
KeptColumn Concatenation(const std::vector<KeptColumn>& columns);

//! Whether both have the same form, but for what is known about their values.
bool AreStoredAlike(const KeptColumn& left, const KeptColumn& right);

//! The output that writes `expression` as `column`, which can hold it, stores it: where there may
//! be NULLs, a byte says so, not a bit.
RowOutput RowOutputOf(const plan::ExpressionPointer& expression, const KeptColumn& column,
                      ValueBuilder& builder);

}  // namespace margay::optimize
