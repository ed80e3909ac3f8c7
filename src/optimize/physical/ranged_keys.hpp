#pragma once

#include <cstdint>
#include <vector>

#include "optimize/estimate/dictionary_cache.hpp"
#include "optimize/physical/input_column.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! Chooses the build sides whose least and greatest keys are noted while they are filled: inner and
//! semi joins with them then leave out the segments of their scans that have no such keys. The key
//! is a column of the scan there, and no error before the join is missed.
//!
//! `columns` are those of all tables, by number, `rows` those of the tables.
void ChooseRangedKeys(Stage& stage, const std::vector<InputColumn>& columns,
                      const std::vector<uint64_t>& rows, DictionaryCache& dictionaries);

}  // namespace margay::optimize
