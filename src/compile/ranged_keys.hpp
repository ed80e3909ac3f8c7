#pragma once

#include <cstdint>
#include <vector>

#include "compile/dictionary_cache.hpp"
#include "compile/pipeline.hpp"
#include "compile/row_reader.hpp"

namespace margay::compile {

//! Chooses the build sides whose least and greatest keys are noted while they are filled: inner and
//! semi joins with them then leave out the segments of their scans that have no such keys. The key
//! is a column of the scan there, and no error before the join is missed.
//!
//! `columns` are those of all tables, by number, `rows` those of the tables.
void ChooseRangedKeys(Program& program, const std::vector<InputColumn>& columns,
                      const std::vector<uint64_t>& rows, DictionaryCache& dictionaries);

}  // namespace margay::compile
