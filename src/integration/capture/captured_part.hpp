#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb/common/types.hpp"
#include "plan/node.hpp"

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

}  // namespace margay::integration
