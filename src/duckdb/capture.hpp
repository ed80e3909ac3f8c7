#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duckdb/common/types.hpp"
#include "duckdb/common/unique_ptr.hpp"
#include "plan/node.hpp"

namespace duckdb {
class ClientContext;
class LogicalOperator;
struct OptimizerExtensionInput;
}  // namespace duckdb

namespace margay::integration {

//! Where a table is.
struct CapturedTable {
  std::string catalog;
  std::string schema;
  std::string name;
  duckdb::idx_t oid = 0;  //!< its number in the catalog (it survives ALTER TABLE)
  //! Set where there is no table: the number of the tap whose rows are scanned like one's.
  std::optional<size_t> tap;
};

//! A subtree below a part that DuckDB runs, and whose rows the part reads.
struct CapturedTap {
  std::string reason;                //!< why the part does not go on below
  duckdb::idx_t estimated_rows = 0;  //!< DuckDB's estimate
};

//! A subtree of DuckDB's optimized plan that Margay can run: everything the physical operator
//! needs, by value. It refers to nothing of the logical plan, which DuckDB empties while it makes
//! the physical one, and to no catalog entry: a prepared statement is executed much later.
struct CapturedPart {
  //! Scans, any number of joins, filters and projections, at most one aggregate on top, or an order
  //! below nothing but projections. The output columns are those of the DuckDB subtree, in its
  //! order. ScanColumn::id is the column's storage number.
  plan::NodePointer plan;

  //! Of the plan's scans, in the order of plan::Scans(); a table that is joined to itself is there
  //! twice.
  std::vector<CapturedTable> tables;

  std::vector<CapturedTap> taps;

  duckdb::vector<duckdb::LogicalType> types;  //!< of the output, as DuckDB has them
  bool has_aggregate = false;
  bool is_sorted = false;  //!< rows come in the order of keys
  bool is_top = false;     //!< the first rows of an order, few of many
  //! The operators above the part that stay with DuckDB, from the part to the root of the query,
  //! and why, each reason once: `ORDER_BY, PROJECTION`, `ORDER_BY is not supported yet`. Without a
  //! reason they are projections of groups, which could join in, but are not worth it.
  std::vector<std::string> tails;
  std::vector<std::string> tail_reasons;
  //! The nodes of the plan, bottom first, for EXPLAIN:
  //! `SCAN lineitem, JOIN INNER (SCAN orders, FILTER), AGGREGATE`.
  std::string text;
  duckdb::idx_t estimated_rows = 0;  //!< of the output, DuckDB's estimate
};

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

//! What CapturePlan puts into a plan.
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
CaptureFindings FindParts(duckdb::OptimizerExtensionInput& input,
                          duckdb::unique_ptr<duckdb::LogicalOperator>& plan);

//! The optimizer hook: replaces every part of `plan` by a LogicalPart and puts a LogicalNote above
//! every operator over table data that is refused (see logical_part.hpp). What DuckDB reads from
//! elsewhere below a tap (table functions, files, temporary tables) has no note. Mode and placement
//! are not asked for here: a plan may be executed many times, under changing settings.
void CapturePlan(duckdb::OptimizerExtensionInput& input,
                 duckdb::unique_ptr<duckdb::LogicalOperator>& plan);

}  // namespace margay::integration
