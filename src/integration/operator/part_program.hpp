#pragma once

#include <string>

#include "integration/operator/placement.hpp"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace margay::integration {

//! The physical program of a part, for people.
struct PartProgram {
  //! What it was made from: "exact" where the columns are encoded, the program is then the one that
  //! would run, or "estimated", from DuckDB's statistics. Empty where there is none.
  std::string statistics;
  std::string text;
  std::string reason;  //!< where there is none: why
};

//! `placement` is that of the part, for an explanation or an execution.
PartProgram ProgramOf(duckdb::ClientContext& context, const CapturedPart& part,
                      const Placement& placement);

}  // namespace margay::integration
