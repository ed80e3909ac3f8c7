#pragma once

#include <memory>
#include <vector>

#include "optimize/physical/aggregate_layout.hpp"
#include "optimize/physical/row_output.hpp"
#include "optimize/value/value.hpp"
#include "storage/column_form.hpp"

namespace margay::optimize {

//! A column of a result that stays on the device, for further pipelines to scan.
struct MaterialisedColumn {
  plan::Type stored;  //!< what its values are stored as: an integer of the form's width, or a float
  std::shared_ptr<const storage::ColumnForm> form;
};

//! How many rows a result has that stays on the device.
struct MaterialisedSize {
  uint64_t most = 0;
  uint64_t expected = 0;  //!< an estimate
};

//! The column of `type` that holds values of `range`, or NULL, in all of `rows`. `group_keys`: as
//! in the form. Strings are codes into `texts`.
MaterialisedColumn MaterialiseColumn(const plan::Type& type, const Range& range, bool can_be_null,
                                     std::shared_ptr<const storage::Dictionary> texts,
                                     const MaterialisedSize& rows, size_t group_keys);

//! The column of strings of `text`, a text column, by their rows in the column that holds the
//! bytes.
MaterialisedColumn MaterialiseText(const InputColumn& text, bool can_be_null,
                                   const MaterialisedSize& rows);

//! The columns of an aggregate without dependent keys that the host finishes.
std::vector<MaterialisedColumn> MaterialiseGroups(const AggregateLayout& layout,
                                                  const std::vector<plan::Aggregate>& aggregates);

//! The output that writes a materialised column.
RowOutput OutputOf(const MaterialisedColumn& column);

}  // namespace margay::optimize
