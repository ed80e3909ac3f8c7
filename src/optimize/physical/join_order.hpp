#pragma once

#include <cstdint>
#include <vector>

#include "optimize/estimate/dictionary_cache.hpp"
#include "optimize/physical/input_column.hpp"
#include "optimize/physical/shape.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! `stage` with inner joins arranged so that rows are looked up rather than multiplied, and that
//! few rows are touched:
//!
//! Swap of build and probe side. A table with unique keys that is joined with a larger one by keys
//! that are not becomes the build side: every row of the larger one finds at most one there. So
//! does the smaller table of a nested loop.
//!
//! Lift. The filters and joins of a build side come behind the join with it where fewer rows are
//! expected there than the build side's table has. What is left of the build side, a plain scan,
//! has a join table that outlives the execution.
//!
//! Index lookup. Few rows of a table with unique keys are looked up in a larger table, by a key
//! that many of its rows have: that table then need not be scanned. Not for lanes: a GPU scans a
//! table in the time in which few of its lanes walk chains of rows. Filters of sides in which semi,
//! anti and left joins search are tested in that search.
//!
//! Columns of tables in which rows are looked up by their number must be at hand as a whole; so a
//! table that takes much of the device's `memory` is scanned instead.
//!
//! `columns` are those of all tables, by number, `rows` those of the tables.
Stage OrderJoins(Stage stage, const std::vector<InputColumn>& columns,
                 const std::vector<uint64_t>& rows, DictionaryCache& dictionaries, Shape shape,
                 uint64_t memory);

}  // namespace margay::optimize
