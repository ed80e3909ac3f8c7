#pragma once

#include <vector>

#include "optimize/physical/input_column.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! Whether a build side is nothing but a scan of a table of the database: its join table depends on
//! columns of that table alone, and can serve other executions. `columns` are those of all tables.
bool IsPlainBuild(const BuildPipeline& build, const std::vector<InputColumn>& columns);

}  // namespace margay::optimize
