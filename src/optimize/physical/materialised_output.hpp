#pragma once

#include <vector>

#include "optimize/physical/join_table.hpp"
#include "optimize/physical/materialised_column.hpp"

namespace margay::optimize {

//! The column that holds `expression`, an output of rows that stay on the device, for which all of
//! `conjuncts` hold. Throws Unsupported.
MaterialisedColumn MaterialiseOutput(const plan::ExpressionPointer& expression,
                                     const MaterialisedSize& rows,
                                     const std::vector<plan::ExpressionPointer>& conjuncts,
                                     ValueBuilder& builder);

//! A column that holds the values of all of `columns`, of one type, one after the other. Strings
//! get one dictionary. Throws Unsupported.
MaterialisedColumn Concatenation(const std::vector<MaterialisedColumn>& columns);

//! Whether both have the same form, but for what is known about their values.
bool AreStoredAlike(const MaterialisedColumn& left, const MaterialisedColumn& right);

//! The output that writes `expression` as `column`, which can hold it, stores it: where there may
//! be NULLs, a byte says so, not a bit.
RowOutput RowOutputOf(const plan::ExpressionPointer& expression, const MaterialisedColumn& column,
                      ValueBuilder& builder);

}  // namespace margay::optimize
