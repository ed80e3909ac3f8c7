#pragma once

#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

//! A plan cut where the result of an aggregate is the input of other operators, and at unions.
struct StageCut {
  //! The plan, with a scan in the place of every such aggregate and every union that has none above
  //! it. The columns of that scan have the numbers of the outputs that are read, as their ids.
  plan::NodePointer plan;
  //! Per scan of `plan`, in the order of plan::Scans(): the aggregate or union whose result it
  //! reads, or null. Several scans of one node read one result.
  std::vector<plan::NodePointer> inners;
  //! Per scan: a predicate over the outputs of what it reads. `plan` itself leaves out the rows for
  //! which it is not true, so that nobody misses them. Null where there is none.
  std::vector<plan::ExpressionPointer> wanted;
};

//! Cuts `plan` below its top; a union there too.
StageCut CutStage(const plan::NodePointer& plan);

}  // namespace margay::optimize
