#pragma once

#include <memory>
#include <vector>

#include "execute/compiled_part.hpp"

namespace margay::execute {

//! What makes a table that stays on the device, for other parts to scan: the part of an aggregate,
//! or those of the inputs of a union, whose rows follow each other.
struct InnerPart {
  std::vector<std::shared_ptr<const CompiledPart>> parts;
  std::vector<compile::KeptColumn> columns;  //!< of the table; all parts store theirs alike
  uint64_t most_rows = 0;                    //!< that the table can have

  //! A run of each part, in their order; all fill one table.
  std::vector<std::unique_ptr<KernelRun>> Start(const RunOptions& options) const;
};

}  // namespace margay::execute
