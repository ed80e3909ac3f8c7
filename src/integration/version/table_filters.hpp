#pragma once

#include <functional>
#include <vector>

#include "duckdb/planner/expression.hpp"

namespace duckdb {
class LogicalGet;
}  // namespace duckdb

namespace margay::integration {

//! A condition that DuckDB has pushed into the scan of a table, all of which its rows meet.
struct ScanFilter {
  enum class Kind {
    Expression,  //!< `expression`, over the column
    OfField,     //!< of a field of the column, which is a nested one
    AtRunTime,   //!< not known before operators above have run
    OfNoColumn,  //!< on something that the scan does not read
  };

  Kind kind = Kind::Expression;
  size_t column = 0;  //!< its place in LogicalGet::GetColumnIds(), unless OfNoColumn
  duckdb::unique_ptr<duckdb::Expression> expression;
};

//! The filters of a scan, without those that it may ignore. `make_column` gives the expression that
//! stands for the column of that place.
std::vector<ScanFilter> FiltersOf(
    const duckdb::LogicalGet& get,
    const std::function<duckdb::unique_ptr<duckdb::Expression>(size_t column)>& make_column);

//! Calls `visit` with every expression that filters of a scan evaluate. Comparisons with constants
//! need none.
void VisitFilterExpressions(const duckdb::LogicalGet& get,
                            const std::function<void(const duckdb::Expression&)>& visit);

}  // namespace margay::integration
