#pragma once

#include <vector>

#include "optimize/physical/input_column.hpp"
#include "plan/expression.hpp"

namespace margay::optimize {

//! The column of which `key` is a one-to-one function (through casts between integers and sums with
//! constants, which give an error rather than one value for two); null if there is none.
const plan::Expression* OneToOneColumn(const plan::Expression& key);

//! Whether statistics tell that a column has no value twice.
bool HasUniqueValues(const storage::ColumnStatistics& statistics);

//! The column of `table` that has a value of its own in every row that has one, and of which `key`
//! is a one-to-one function: each value of `key` then occurs in one row at most. Null if there is
//! none.
const InputColumn* UniqueColumn(const plan::Expression& key,
                                const std::vector<InputColumn>& columns, size_t table);

//! Whether `keys` hold, each through a one-to-one function, all keys of the groups that are the
//! rows of `table`: no two rows have the same values in all of them then, NULL being one value.
bool AreGroupKeys(const std::vector<plan::ExpressionPointer>& keys,
                  const std::vector<InputColumn>& columns, size_t table);

}  // namespace margay::optimize
