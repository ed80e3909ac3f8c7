#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "optimize/physical/aggregate_layout.hpp"
#include "optimize/physical/kernel_values.hpp"
#include "optimize/physical/local_numbers.hpp"
#include "optimize/physical/materialised_column.hpp"
#include "optimize/physical/row_output.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! The kernel that packs the groups of a shared table that have rows and are wanted, as finished
//! columns of the result.
struct GroupPacking {
  std::shared_ptr<KernelValues> values;
  LocalNumbers numbers{SIZE_MAX};
  std::vector<InputColumn> columns;  //!< of tables that dependent keys come from, and texts
  std::vector<RowOutput> outputs;    //!< the group keys, then the aggregates
  std::optional<Value> filter;       //!< a boolean: which groups are wanted; none: all

  //! For the groups of `pipeline`, whose values are over `context`. Where the result stays on the
  //! device, `materialised` gets its columns, else it is null. Groups for which `wanted`, a
  //! predicate over the outputs or null, is not true may be left out. Throws Unsupported.
  static GroupPacking Of(const Pipeline& pipeline, const AggregateLayout& layout,
                         const ValueContext& context, const plan::ExpressionPointer& wanted,
                         std::vector<MaterialisedColumn>* materialised);
};

}  // namespace margay::optimize
