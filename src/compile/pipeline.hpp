#pragma once

#include <vector>

#include "plan/node.hpp"

namespace margay::compile {

//! A plan as one pipeline over its scan: filters first, then the sink. All expressions are over the
//! scan's columns; projections are gone.
struct Pipeline {
  std::vector<plan::ScanColumn> columns;
  std::vector<plan::ExpressionPointer> conjuncts;

  bool is_aggregate = false;
  std::vector<plan::ExpressionPointer> outputs;  //!< rows: the output; aggregate: the group keys
  std::vector<plan::Aggregate> aggregates;

  //! Flattens Scan, (Filter | Project)*, and at most one Aggregate at the top. Throws Unsupported.
  static Pipeline From(const plan::Node& plan);
};

}  // namespace margay::compile
