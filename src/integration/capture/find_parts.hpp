#pragma once

#include <string>
#include <vector>

#include "duckdb/common/unique_ptr.hpp"
#include "integration/capture/captured_part.hpp"

namespace duckdb {
class ClientContext;
class LogicalOperator;
}  // namespace duckdb

namespace margay::integration {

//! The border between a part and a subtree below it that DuckDB runs.
struct FoundTap {
  duckdb::unique_ptr<duckdb::LogicalOperator>* place = nullptr;  //!< of the subtree
  const duckdb::LogicalOperator* above = nullptr;                //!< what reads it, of the part
};

//! A part and its place in the plan.
struct FoundPart {
  duckdb::unique_ptr<duckdb::LogicalOperator>* place = nullptr;
  CapturedPart part;
  std::vector<FoundTap> taps;  //!< as in `part`
};

//! An operator over table data that no part covers, and why.
struct FoundNote {
  duckdb::unique_ptr<duckdb::LogicalOperator>* place = nullptr;
  std::string reason;
  //! The rows are not those of a table that could be cached.
  bool is_elsewhere = false;
};

//! What a plan has for Margay.
struct CaptureFindings {
  std::vector<FoundPart> parts;
  std::vector<FoundNote> notes;
};

//! Looks for the largest subtrees that Margay can run, and leaves the plan as it is. Below a part
//! are no other findings, except below its taps. No two findings have one place, but for a tap and
//! a note, which goes below it.
//!
//! An input of a join, a union, an aggregate or an order that can't be captured becomes a tap, if
//! another input of the join or union is captured. A LIMIT has none: it would have to wait for rows
//! that it does not want. What DuckDB gives more cheaply than a device, filters and projections, it
//! does below the tap.
//!
//! Nothing is found in statements that update or delete rows, in those with an error of the user's
//! (see user_errors.hpp), which DuckDB raises, and below operators whose inputs are
//! run again and again (RECURSIVE_CTE), or of which not all that is bound to each other is captured
//! (DELIM_JOIN): these get a note.
CaptureFindings FindParts(duckdb::ClientContext& context,
                          duckdb::unique_ptr<duckdb::LogicalOperator>& plan);

}  // namespace margay::integration
