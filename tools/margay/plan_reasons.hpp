#pragma once

#include <string>

namespace margay::tool {

//! Why DuckDB runs some part of a query over table data, from the text of EXPLAIN (FORMAT JSON):
//! the reasons, each once, or an empty string where a device runs all such parts.
std::string PlanReasons(const std::string& plan);

}  // namespace margay::tool
